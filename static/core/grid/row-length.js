/** @typedef {import('../types.js').Loop} Loop */
/** @typedef {import('../types.js').Tensor} Tensor */
import { cacheLine } from '../bytes.js';

const MOST_AUTO_COLUMNS = 2048;
const AUTO_ASPECT = 3;
/** A stride within this factor of the wished length (as a natural logarithm) is used as it is. */
const NEAR = 1;
/** Too long counts more than too short: scrolling down is easier than scrolling sideways. */
const TOO_WIDE = 1.3;
const MOST_PLAIN_COLUMNS = 64;

/**
 * Addresses per row of the memory grid.
 *
 * 'auto' uses one of the layout's own strides, so that a row is a line of the tensor: the stride
 * closest to a grid three times as wide as high, of at most 2048 columns. Where no stride is close, a
 * row holds several such lines, as many as divide the next dimension evenly, so that no image breaks
 * within a row. 'line' is 64 bytes. A number is limited to the buffer's size.
 * @param {Tensor} tensor
 * @param {'auto' | 'line' | number} wish
 * @param {number} itemsize_bits
 * @returns {number}
 */
export function rowLengthOf(tensor, wish, itemsize_bits) {
  const buffer = Math.max(1, tensor.bufferElements);
  if (typeof wish === 'number') return Math.min(Math.max(Math.floor(wish), 1), buffer);
  if (wish === 'line') return Math.min(cacheLine(itemsize_bits), buffer);
  const wished = Math.min(Math.sqrt(buffer * AUTO_ASPECT), MOST_AUTO_COLUMNS);
  /** @param {number} stride */
  const distance = (stride) => {
    const away = Math.log(stride / wished);
    return away > 0 ? away * TOO_WIDE : -away;
  };
  /** @param {readonly number[]} lengths */
  const nearest = (lengths) => lengths.reduce((best, length) => (distance(length) < distance(best) ? length : best));
  const strides = tensor.loops.map(({ stride }) => stride).filter((stride) => stride > 1 && stride < buffer);
  if (strides.length === 0) return Math.min(buffer, MOST_PLAIN_COLUMNS);
  const own = nearest(strides);
  if (distance(own) <= NEAR) return own;
  return nearest([own, ...tensor.loops.flatMap((loop) => wholeParts(loop, MOST_AUTO_COLUMNS))]);
}

/**
 * Lengths of the equal parts that a loop can be cut into. The whole loop is not among them: where
 * memory is dense, it is the next loop's stride.
 * @param {Loop} loop
 * @param {number} most
 * @returns {number[]}
 */
function wholeParts({ extent, stride }, most) {
  const parts = [];
  for (let count = 2; count < extent && count * stride <= most; count += 1) {
    if (extent % count === 0) parts.push(count * stride);
  }
  return parts;
}
