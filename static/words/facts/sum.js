import { bytesOf } from '../../core/bytes.js';
import { coordsText, exactText } from '../numbers.js';

/** @import { Tensor } from '../../core/types.js' */

/** @type {Readonly<Record<string, string>>} */
const VACANT = Object.freeze({
  padding: 'padding: the layout keeps the place, but no element lies there',
  gap: 'a gap: no coordinate leads there',
  outside: 'outside the buffer',
  undetermined: 'not decided: the strides interleave too widely to search',
});

/**
 * Where an address lies in bytes, and how that is computed: “byte 72 (18 × 4 bytes)”.
 * @param {number} address
 * @param {number} itemsize_bits
 */
export function byteText(address, itemsize_bits) {
  const { bytes, bits } = bytesOf(address, itemsize_bits);
  const times = itemsize_bits > 8 && bits === 0 ? ` (${exactText(address)} × ${itemsize_bits / 8} bytes)` : '';
  const within = itemsize_bits === 4 ? 'upper half' : `bit ${bits}`;
  return `byte ${exactText(String(bytes))}${bits === 0 ? times : `, ${within}`}`;
}

/**
 * Why an address holds no element.
 * @param {Tensor} tensor
 * @param {number} address
 */
export function vacantText(tensor, address) {
  const { kind, coords } = tensor.ownerOf(address);
  const where = coords ? ` (it would be ${coordsText(tensor.dims, coords)})` : '';
  return `Address ${exactText(address)} is ${VACANT[kind]}${where}.`;
}
