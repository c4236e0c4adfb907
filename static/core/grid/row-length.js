/** @import { Loop, Tensor } from '../types.js' */
import { cacheLine } from '../bytes.js';
import { OPENING_TEXT_CSS } from './viewport.js';
import { textColumn } from './zoom.js';

const MOST_AUTO_COLUMNS = 2048;
const AUTO_ASPECT = 3;
/** A stride within this factor of the wished length (as a natural logarithm) is used as it is. */
const NEAR = 1;
/** Texts need the whole width of the window: their rows are no shorter than this part of the wished length. */
const LEAST_WRITTEN = 2 / 3;
/** Too long counts more than too short: scrolling down is easier than scrolling sideways. */
const TOO_WIDE = 1.3;
const MOST_PLAIN_COLUMNS = 64;
/** Up to so many addresses a row is kept short enough for a narrow window to show their texts. */
const MOST_WRITTEN = 2048;
/** The most columns in a narrow window, what stands beside them, and its height as a part of its width. */
const MOST_NARROW = 16;
const NARROW_HEIGHT = 0.6;
const BESIDE_NARROW_CSS = 40;

/**
 * Addresses per row of the memory grid.
 *
 * 'auto' uses one of the layout's own strides, so that a row is a line of the tensor: the stride
 * closest to a grid three times as wide as high, of at most 2048 columns. Where no stride is close, and
 * where texts would leave much of the window empty, a row holds several such lines, as many as divide the next dimension evenly, so that no image breaks
 * within a row; in a narrow window only while that does not make the cells smaller. 'line' is 64 bytes. A number is limited to the buffer's size.
 * @param {Tensor} tensor
 * @param {'auto' | 'line' | number} wish
 * @param {number} itemsize_bits
 * @param {number} [most] columns whose texts a narrow window can show; under 'auto', where a stride allows it
 * @param {{short?: boolean}} [room] short: two memories share the window, so that few rows count more than whole blocks
 * @returns {number}
 */
export function rowLengthOf(tensor, wish, itemsize_bits, most = Infinity, { short: few = false } = {}) {
  const buffer = Math.max(1, tensor.bufferElements);
  if (typeof wish === 'number') return Math.min(Math.max(Math.floor(wish), 1), buffer);
  if (wish === 'line') return Math.min(cacheLine(itemsize_bits), buffer);
  const wished = wishedLength(tensor);
  const distance = distanceFrom(wished);
  /** @param {readonly number[]} lengths */
  const nearest = (lengths) => lengths.reduce((best, length) => (distance(length) < distance(best) ? length : best));
  const strides = tensor.loops.map(({ stride }) => stride).filter((stride) => stride > 1 && stride < buffer);
  if (strides.length === 0) return Math.min(buffer, MOST_PLAIN_COLUMNS, most);
  const short = buffer <= MOST_WRITTEN ? strides.filter((stride) => stride <= most) : [];
  if (short.length > 0 && most < Infinity) {
    const line = Math.max(...short);
    const lines = wholeLines(tensor, line, Math.min(most, buffer), few);
    return !few && narrowCell(line, buffer) >= narrowCell(lines, buffer) ? line : lines;
  }
  const own = nearest(strides);
  const least = buffer <= MOST_WRITTEN ? wished * LEAST_WRITTEN : 0;
  if ((distance(own) <= NEAR && own >= least) || most < Infinity) return own;
  const lengths = [...strides, ...tensor.loops.flatMap((loop) => wholeParts(loop, MOST_AUTO_COLUMNS))];
  const wide = lengths.filter((length) => length >= least && distance(length) <= NEAR);
  return nearest(wide.length > 0 ? wide : lengths);
}

/**
 * Columns of a memory whose numbers can be told apart in a narrow window.
 * @param {number} width_css of the window
 * @param {number} addresses
 * @returns {number}
 */
export function narrowColumns(width_css, addresses) {
  const text_css = Math.max(OPENING_TEXT_CSS, textColumn(String(Math.max(0, addresses - 1)).length));
  return Math.min(MOST_NARROW, Math.max(1, Math.floor((width_css - BESIDE_NARROW_CSS) / text_css)));
}

/**
 * @param {Tensor} tensor
 * @returns {number} columns of a grid of a pleasant shape
 */
function wishedLength({ bufferElements }) {
  return Math.min(Math.sqrt(Math.max(1, bufferElements) * AUTO_ASPECT), MOST_AUTO_COLUMNS);
}

/**
 * @param {number} wished
 * @returns {(length: number) => number} how far a length is from the wished one
 */
function distanceFrom(wished) {
  return (length) => {
    const away = Math.log(length / wished);
    return away > 0 ? away * TOO_WIDE : -away;
  };
}

/**
 * As many whole lines as fit; not many fewer, where then each line of an outer dimension, a block or an image, begins a row.
 * @param {Tensor} tensor
 * @param {number} line one of its strides
 * @param {number} room in addresses
 * @param {boolean} few whether only the next dimension counts
 */
function wholeLines({ loops }, line, room, few) {
  const most = Math.floor(room / line);
  const lines = loops.flatMap(({ stride, extent }) => (stride === line ? [extent] : stride > line ? [stride / line] : []));
  for (const next of lines.sort((one, other) => one - other).slice(0, few ? 1 : Infinity)) {
    for (let even = most; 2 * even > most; even -= 1) if (next % even === 0) return line * even;
  }
  return line * most;
}

/**
 * @param {number} columns of a memory in a narrow window
 * @param {number} addresses
 * @returns {number} the side of a cell as a part of the width of the window
 */
function narrowCell(columns, addresses) {
  return Math.min(1 / columns, NARROW_HEIGHT / Math.ceil(addresses / columns));
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

/**
 * Addresses per row of the memory of a lesson: as many as there is room for so that no group of the layout, such as a
 * block, ends within a row. Where that leaves more than a third of the room empty, a multiple of the largest stride that fills it.
 * @param {{loops: readonly {stride: number}[]}} tensor
 * @param {number} most
 */
export function lessonRow({ loops }, most) {
  for (let length = most; length >= (most * 2) / 3; length -= 1) {
    if (loops.every(({ stride }) => stride % length === 0 || length % stride === 0)) return length;
  }
  const multiples = loops.map(({ stride }) => stride * Math.floor(most / stride));
  return multiples.find((length) => length >= 0.75 * most) ?? most;
}
