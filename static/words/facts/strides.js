import { bytesOf } from '../../core/bytes.js';
import { exactText } from '../numbers.js';

/** @import { Description } from '../../api/types.js' */

/**
 * How far apart the blocks of a dimension are, and what lies in one.
 * @param {string} name of the dimension
 * @param {Description['digits'][number]} all digits, outermost first
 * @returns {string[]} such as "c: 80 to the next block of 4, 1 inside a block"; nothing where there is no next block
 */
export function blocksText(name, all) {
  const digits = all.filter(({ extent }) => Number(extent) > 1);
  if (digits.length < 2) return [];
  const steps = digits.slice(1).map((_, at) => {
    const block = digits.slice(at + 1).reduce((all, { extent }) => all * BigInt(extent), 1n);
    return `${exactText(digits[at].stride)} to the next block of ${exactText(String(block))}`;
  });
  return [`${name}: ${steps.join(', ')}, ${exactText(digits[digits.length - 1].stride)} inside a block`];
}

/**
 * What the facts speak of where a smaller picture is drawn.
 * @param {Pick<Description, 'dims' | 'shape'>} description
 * @returns {string} empty where the tensor is no picture
 */
export function wholeText({ dims, shape }) {
  const places = ['W', 'H'].map((name) => [...dims].indexOf(name));
  if (places.includes(-1)) return '';
  const [wide, high] = places.map((at) => exactText(shape[at]));
  return `Facts: the full ${wide} × ${high} picture`;
}

/**
 * A stride in bytes.
 * @param {import('../../core/types.js').Integer} elements
 * @param {number} itemsize_bits
 * @returns {string} whole bytes, or a dash where it is a fraction of a byte
 */
export function bytesText(elements, itemsize_bits) {
  const { bytes, bits } = bytesOf(elements, itemsize_bits);
  return bits === 0 ? exactText(String(bytes)) : '–';
}

/**
 * Of a layout that no format of the catalogue has: how letters and oneDNN write it all the same, as NHCW.
 * @param {Readonly<Record<string, import('../../api/types.js').Notation>>} notations
 */
export function unnamedText({ letters, onednn }) {
  const written = [letters?.text && `${letters.text} in letters`, onednn?.text && `${onednn.text} for oneDNN`].filter(Boolean);
  return `${written.length > 0 ? `${written.join(', ')}. ` : ''}No format of the list that is searched here has these strides.`;
}
