/** @import { Loop } from '../types.js' */
import { coordinateAt } from '../layout/digits.js';
import { GAP, PADDING } from '../layout/kinds.js';

const MOST_TABLE_ADDRESSES = 2 ** 15;
const MOST_RUN = 4096;
/** Where pixels are at most this many addresses apart, decoding all of them is cheaper than searching each. */
const MOST_STEP = 8;

/**
 * How many addresses to decode at once.
 * @param {number} count of addresses that are wanted
 * @param {number} step from one wanted address to the next
 * @returns {number} 1 to 4096
 */
export function worthDecoding(count, step) {
  return step > MOST_STEP ? 1 : Math.max(1, Math.min(MOST_RUN, Math.ceil(count)));
}

/**
 * Splits the loops into inner ones, which one table holds, and outer ones, which give its base.
 * @param {readonly Loop[]} loops largest stride first
 * @returns {{outer: readonly Loop[], inner: readonly Loop[], split: Loop | null, part: number, size: number}}
 *   split: the outer loop whose first `part` steps are in the table too; size: addresses in the table
 */
export function planTable(loops) {
  const outer = [...loops];
  /** @type {Loop[]} */
  const inner = [];
  let size = 1;
  while (outer.length > 0) {
    const loop = outer[outer.length - 1];
    const whole = size + (loop.extent - 1) * loop.stride;
    if (whole > MOST_TABLE_ADDRESSES) {
      const part = Math.floor((MOST_TABLE_ADDRESSES - size) / loop.stride) + 1;
      if (part < 2) return { outer, inner, split: null, part: 1, size };
      return { outer, inner, split: loop, part, size: size + (part - 1) * loop.stride };
    }
    inner.unshift(loop);
    outer.pop();
    size = whole;
  }
  return { outer, inner, split: null, part: 1, size };
}

/**
 * What one step of a loop adds to each sum.
 * @param {Loop} loop
 * @param {readonly (readonly number[])[]} sums
 * @returns {number[]}
 */
export function stepsOf(loop, sums) {
  const step = coordinateAt(loop, 1) - coordinateAt(loop, 0);
  return sums.map((weights) => weights[loop.dim] * step);
}

/**
 * @param {readonly Loop[]} loops
 * @param {readonly (readonly number[])[]} sums
 * @param {Uint8Array} occupied
 * @param {readonly Float64Array[]} tables
 * @param {number} kind of an element
 */
export function fillTables(loops, sums, occupied, tables, kind) {
  occupied[0] = kind;
  let filled = 1;
  // From the innermost loop out: each further step repeats what is filled, some addresses on.
  for (const loop of [...loops].reverse()) {
    const { extent, stride } = loop;
    const steps = stepsOf(loop, sums);
    for (let step = 1; step < extent; step += 1) occupied.copyWithin(step * stride, 0, filled);
    for (let sum = 0; sum < sums.length; sum += 1) {
      if (steps[sum] === 0) {
        for (let step = 1; step < extent; step += 1) tables[sum].copyWithin(step * stride, 0, filled);
      } else addSteps(tables[sum], filled, loop, steps[sum]);
    }
    filled += (extent - 1) * stride;
  }
}

/**
 * @param {Float64Array} table
 * @param {number} filled entries
 * @param {Loop} loop
 * @param {number} added by one step
 */
function addSteps(table, filled, { extent, stride }, added) {
  for (let step = 1; step < extent; step += 1) {
    const base = step * stride;
    for (let at = 0; at < filled; at += 1) table[base + at] = table[at] + step * added;
  }
}

/**
 * @param {Float64Array} table
 * @param {Uint8Array} occupied gaps do not count
 * @returns {[number, number]}
 */
export function minMax(table, occupied) {
  let least = Infinity;
  let most = -Infinity;
  for (let at = 0; at < table.length; at += 1) {
    if (occupied[at] === GAP) continue;
    if (table[at] < least) least = table[at];
    if (table[at] > most) most = table[at];
  }
  return [least, most];
}

/**
 * @param {Uint8Array} kinds entries of elements that are padding are changed
 * @param {readonly Float64Array[]} coordinates per padded dimension
 * @param {Float64Array} limits first coordinate beyond the shape, per padded dimension
 * @param {number} from entry
 * @param {number} end
 */
export function markPadding(kinds, coordinates, limits, from, end) {
  for (let dim = 0; dim < limits.length; dim += 1) {
    const coordinate = coordinates[dim];
    const limit = limits[dim];
    for (let at = from; at < end; at += 1) {
      if (kinds[at] !== GAP && coordinate[at] >= limit) kinds[at] = PADDING;
    }
  }
}
