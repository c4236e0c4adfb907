/** @import { Tensor, Gaps, Gap } from '../types.js' */

/** After a pixel, and between blocks beside and below each other: so much of a cell as no text needs. */
const PIXEL = Object.freeze({ share: 0.12, most_css: 6 });
const BLOCK = Object.freeze({ share: 0.16, most_css: 8 });
const BLOCK_ROW = Object.freeze({ share: 0.27, most_css: 8 });
/** @type {Gaps} */
export const NO_GAPS = Object.freeze({ columns: Object.freeze([]), rows: Object.freeze([]) });

/**
 * The gaps of a memory grid: after each pixel, where the channels of one lie side by side, as they do in blocks and in
 * channels-last memory; and between the blocks, where a row ends with one.
 *
 * Both follow from the loops over the channel: the one of stride 1 is a pixel, the next is from block to block. A swizzle
 * takes pixels apart, so it has no gaps; neither has a row length that breaks pixels.
 * @param {Tensor} tensor
 * @param {number} channel the dimension that tells what a value is; -1 for none
 * @param {number} rowLength_elems
 * @returns {Gaps}
 */
export function gapsOf({ loops, origin, swizzle }, channel, rowLength_elems) {
  const pixel = loops[loops.length - 1];
  if (swizzle || origin !== 0 || channel < 0 || loops.length < 2 || pixel.stride !== 1 || pixel.dim !== channel) return NO_GAPS;
  if (rowLength_elems % pixel.extent !== 0) return NO_GAPS;
  const outer = loops.findLast(({ dim, stride }) => dim === channel && stride > pixel.extent);
  /** @type {Gap[]} */
  const columns = pixel.extent < rowLength_elems ? [{ cells: pixel.extent, ...PIXEL }] : [];
  /** @type {Gap[]} */
  const rows = [];
  if (outer && outer.stride % rowLength_elems === 0) rows.push({ cells: outer.stride / rowLength_elems, ...BLOCK_ROW });
  else if (outer && rowLength_elems % outer.stride === 0 && outer.stride < rowLength_elems) columns.push({ cells: outer.stride, ...BLOCK });
  return Object.freeze({ columns: Object.freeze(columns), rows: Object.freeze(rows) });
}

/**
 * @param {readonly Gap[]} gaps in one direction
 * @param {number} at the column or row of a cell
 * @param {number} side_css width or height of a cell
 * @returns {number} CSS pixels that the gap before this cell takes from it, and as many from the one before
 */
export function halfBefore(gaps, at, side_css) {
  const found = at > 0 ? gaps.filter(({ cells }) => at % cells === 0) : [];
  return Math.max(0, ...found.map(({ share, most_css }) => (Math.min(most_css, side_css * share) - 1) / 2));
}

/**
 * @param {readonly Gap[]} gaps in one direction
 * @param {number} first column or row in view
 * @param {number} end behind the last one
 * @returns {number} how many kinds of gaps are seen
 */
export function gapsWithin(gaps, first, end) {
  return gaps.filter(({ cells }) => (Math.floor(first / cells) + 1) * cells < end).length;
}
