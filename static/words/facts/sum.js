import { bytesOf } from '../../core/bytes.js';
import { coordsText, exactText } from '../numbers.js';

/** @import { Tensor } from '../../core/types.js' */

const KIND_WORDS = {
  element: 'element',
  shared: 'shared',
  padding: 'padding: no element lies here, but the layout keeps its place',
  gap: 'a gap: no coordinate leads here',
  outside: 'outside the buffer',
  undetermined: 'not decided: the strides interleave too widely to search',
};

/**
 * @param {number} address
 * @param {number} itemsize_bits
 */
export function byteText(address, itemsize_bits) {
  const { bytes, bits } = bytesOf(address, itemsize_bits);
  const within = itemsize_bits === 4 ? 'upper half' : `bit ${bits}`;
  return `byte ${exactText(String(bytes))}${bits === 0 ? '' : `, ${within}`}`;
}

/**
 * Why an address holds no element.
 * @param {Tensor} tensor
 * @param {number} address
 */
export function vacantText(tensor, address) {
  const { kind, coords } = tensor.ownerOf(address);
  const where = coords ? ` (it would be ${coordsText(tensor.dims, coords)})` : '';
  return `${KIND_WORDS[kind]}${where}`;
}
