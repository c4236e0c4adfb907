/** @import { Tensor, PlacedDigit } from '../types.js' */
import { digitOf } from './digits.js';

/** Steps that counting may take, and the elements that are tried where it would take more. */
const MOST_STEPS = 2 ** 17;
const TRIED = 2 ** 14;

/**
 * How many elements lie at the same address in two layouts of one tensor.
 *
 * The addresses differ by a sum of one part per dimension, so the count needs one list per dimension,
 * not one entry per element. Where that takes too many steps, or the layouts have different swizzles
 * and the tensor is large, some elements are tried: `exact` is false, and `kept` an estimate.
 * @param {Tensor} a
 * @param {Tensor} b of the same shape
 * @returns {{kept: number, elements: number, exact: boolean}}
 */
export function keptAddresses(a, b) {
  const { elements } = a;
  if (elements === 0) return { kept: 0, elements, exact: true };
  const sameSwizzle = JSON.stringify(a.swizzle) === JSON.stringify(b.swizzle);
  const counted = sameSwizzle ? countSums(a, b) : null;
  if (counted !== null) return { kept: counted, elements, exact: true };
  if (elements <= MOST_STEPS) return { kept: countAll(a, b), elements, exact: true };
  const random = seeded();
  let hits = 0;
  for (let at = 0; at < TRIED; at += 1) {
    const coords = a.shape.map((size) => Math.floor(random() * size));
    if (a.addressOf(coords) === b.addressOf(coords)) hits += 1;
  }
  return { kept: Math.round((hits / TRIED) * elements), elements, exact: false };
}

/**
 * @param {Tensor} a
 * @param {Tensor} b
 */
function countAll(a, b) {
  let kept = 0;
  for (let at = 0; at < a.elements; at += 1) {
    const coords = a.coordsOf(at);
    if (a.addressOf(coords) === b.addressOf(coords)) kept += 1;
  }
  return kept;
}

/** @returns {() => number} random numbers from 0 to 1 with 53 bits, the same in each run */
function seeded() {
  let state = 9;
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return (more ^ (more >>> 14)) >>> 0;
  };
  return () => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
}

/**
 * Counts the coordinates whose parts add up to no difference: all sums of one half of the dimensions
 * are looked up among those of the other half.
 * @param {Tensor} a
 * @param {Tensor} b
 * @returns {number | null} null where it takes too many steps
 */
function countSums(a, b) {
  let [factor, steps] = [1, 0];
  /** @type {Map<number, number>[]} */
  const parts = [];
  for (let dim = 0; dim < a.shape.length; dim += 1) {
    const size = a.shape[dim];
    if (JSON.stringify(a.digits[dim]) === JSON.stringify(b.digits[dim])) {
      factor *= size;
      continue;
    }
    steps += size;
    if (steps > MOST_STEPS) return null;
    parts.push(differences(a.digits[dim], b.digits[dim], size));
  }
  parts.sort((one, other) => other.size - one.size);
  /** @type {Map<number, number>[]} */
  const halves = [new Map([[a.offset - b.offset, 1]]), new Map([[0, 1]])];
  for (const part of parts) {
    const smaller = halves[0].size <= halves[1].size ? 0 : 1;
    steps += halves[smaller].size * part.size;
    if (steps > MOST_STEPS) return null;
    halves[smaller] = sums(halves[smaller], part);
  }
  let kept = 0;
  for (const [difference, count] of halves[0]) kept += count * (halves[1].get(-difference) ?? 0);
  return kept * factor;
}

/**
 * @param {readonly PlacedDigit[]} a
 * @param {readonly PlacedDigit[]} b
 * @param {number} size
 * @returns {Map<number, number>} how often each difference of the two address parts occurs
 */
function differences(a, b, size) {
  const counts = new Map();
  for (let coordinate = 0; coordinate < size; coordinate += 1) {
    const difference = partOf(a, coordinate) - partOf(b, coordinate);
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  return counts;
}

/**
 * @param {readonly PlacedDigit[]} digits
 * @param {number} coordinate
 */
function partOf(digits, coordinate) {
  return digits.reduce((sum, digit) => sum + digitOf(digit, coordinate) * digit.stride, 0);
}

/**
 * @param {Map<number, number>} one
 * @param {Map<number, number>} other
 * @returns {Map<number, number>} of all sums
 */
function sums(one, other) {
  const counts = new Map();
  for (const [left, times] of one) {
    for (const [right, count] of other) counts.set(left + right, (counts.get(left + right) ?? 0) + times * count);
  }
  return counts;
}
