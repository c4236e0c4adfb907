/** @import { Tensor, Viewport } from '../types.js' */
import { visibleRange } from '../grid/viewport.js';
import { coordinateAt, reachesOf } from '../layout/digits.js';
import { periodOf } from '../layout/swizzle.js';

/** Parts of one place of a strip that are looked at, where it stands for more addresses than that. */
export const SAMPLES = 64;
/** Neighbours that are looked at together: channels that lie side by side have all their colours in the mean. */
export const RUN = 8;
/** Steps by this part of a whole never fall into step with a period of the layout. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Rows narrower than this on the strip are one range. */
const LEAST_PARTS = 4;

/**
 * The runs of addresses that stand for one place of a strip: all its addresses where they are few; else a run
 * from each of 64 equal parts, at an uneven place within it. Even steps would meet the same channel again and
 * again.
 * @param {number} place
 * @param {number} places of the whole strip
 * @param {number} bufferElements
 * @param {Float64Array} out where the runs begin; at least SAMPLES long
 * @returns {{count: number, run: number}} how many runs, and how many addresses in each
 */
export function samplesAt(place, places, bufferElements, out) {
  const step = bufferElements / places;
  const first = Math.floor(place * step);
  const end = Math.min(bufferElements, Math.max(first + 1, Math.ceil((place + 1) * step)));
  if (end - first <= SAMPLES) {
    for (let at = 0; at < end - first; at += 1) out[at] = first + at;
    return { count: end - first, run: 1 };
  }
  const run = Math.min(RUN, Math.floor((end - first) / SAMPLES));
  for (let part = 0; part < SAMPLES; part += 1) {
    const within = ((place * SAMPLES + part) * GOLDEN) % 1;
    out[part] = Math.min(end - run, Math.floor((place + (part + within) / SAMPLES) * step));
  }
  return { count: SAMPLES, run };
}

/**
 * The parts of a memory that its outermost loop makes, one after the other.
 * @typedef {object} Bands
 * @property {number} count
 * @property {number} first address of the first band
 * @property {number} stride addresses from band to band
 * @property {(band: number) => string} labelOf such as "n 3" or "c 4–7"
 */

/**
 * @param {Tensor} tensor
 * @returns {Bands | null} null where the outermost loop does not divide the memory into ranges
 */
export function bandsOf({ loops, origin, dims, shape, swizzle }) {
  const [loop] = loops;
  if (!loop || loop.stride <= reachesOf(loops)[1]) return null;
  // A swizzle exchanges addresses within its period only.
  if (swizzle && (loop.stride % periodOf(swizzle) !== 0 || origin % periodOf(swizzle) !== 0)) return null;
  const name = dims[loop.dim].toLowerCase();
  return {
    count: loop.extent,
    first: origin,
    stride: loop.stride,
    labelOf: (band) => {
      const from = coordinateAt(loop, band);
      const last = Math.min(from + loop.weight, shape[loop.dim]) - 1;
      if (from > last) return `${name} padding`;
      return from === last ? `${name} ${from}` : `${name} ${from}–${last}`;
    },
  };
}

/**
 * What a window shows of a memory.
 * @typedef {object} Seen
 * @property {number} first address
 * @property {number} end exclusive
 * @property {boolean} whole whether nothing lies outside the window
 * @property {readonly (readonly [number, number])[]} parts ranges of addresses; one of each row where the
 *   window cuts rows, and the strip can tell them apart
 */

/**
 * @param {Viewport} viewport
 * @param {number} rowLength_elems
 * @param {number} bufferElements
 * @param {number} places of the strip
 * @returns {Seen}
 */
export function seenOf(viewport, rowLength_elems, bufferElements, places) {
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const wide = firstColumn === 0 && endColumn >= viewport.columns;
  const clip = (/** @type {number} */ address) => Math.max(0, Math.min(bufferElements, address));
  const first = clip(firstRow * rowLength_elems + (wide ? 0 : firstColumn));
  const end = clip(wide ? endRow * rowLength_elems : (endRow - 1) * rowLength_elems + endColumn);
  const whole = wide && firstRow === 0 && endRow >= viewport.rows;
  const apart = !wide && (rowLength_elems / bufferElements) * places >= LEAST_PARTS;
  /** @type {[number, number][]} */
  const parts = [];
  for (let row = firstRow; apart && row < endRow; row += 1) {
    const start = row * rowLength_elems;
    if (start + firstColumn < bufferElements) parts.push([start + firstColumn, clip(start + endColumn)]);
  }
  return { first, end: Math.max(first, end), whole, parts: apart ? parts : [[first, Math.max(first, end)]] };
}
