/** @import { Tensor, SliceDim } from '../types.js' */
import { coordsOf, linearOf, productOf } from '../shape.js';

/** @typedef {SliceDim & {dim: number | null, kept: boolean}} Pick */

/** @type {readonly import("../types.js").PlacedDigit[]} of an axis of a slice: blocks of the source may begin before it and end within it. */
const NO_DIGITS = Object.freeze([]);

/**
 * The result of a slice as a tensor of its own.
 * @typedef {object} Picked
 * @property {Tensor} tensor the source's memory under the result's coordinates
 * @property {readonly Pick[]} picks
 * @property {(coords: readonly number[]) => number[]} toSource coordinates of the source
 * @property {(coords: readonly number[]) => number[] | null} fromSource null where the slice does not take the element
 * @property {(address: number) => number | null} placeAt row-major index in the result of what an address
 *   holds, the first of several; null where the slice takes nothing there
 */

/**
 * @param {Tensor} source
 * @param {readonly Pick[]} picks every dimension of the source once, in order
 * @returns {Readonly<Picked>}
 */
export function pickedTensor(source, picks) {
  const kept = picks.filter((pick) => pick.kept);
  const shape = Object.freeze(kept.map(({ count }) => count));
  const repeats = source.digits.map((digits) => digits.every(({ extent, stride }) => extent <= 1 || stride === 0));

  /** @param {readonly number[]} coords */
  function toSource(coords) {
    const found = new Array(source.shape.length).fill(0);
    let axis = 0;
    for (const { dim, start, step, kept: stays } of picks) {
      if (dim !== null) found[dim] = start + (stays ? step * coords[axis] : 0);
      if (stays) axis += 1;
    }
    return found;
  }

  /** @param {readonly number[]} coords */
  function fromSource(coords) {
    const found = [];
    for (const { dim, start, step, count, kept: stays } of picks) {
      // Adding 0 turns -0 into 0.
      const place = dim === null ? 0 : (coords[dim] - start) / step + 0;
      if (!Number.isInteger(place) || place < 0 || place >= count) return null;
      if (stays) found.push(place);
    }
    return found;
  }

  /** @param {number} address */
  function placeAt(address) {
    const { kind, coords } = source.ownerOf(address);
    if (coords === null || (kind !== 'element' && kind !== 'shared')) return null;
    // All coordinates of a broadcast dimension are here: the first that the slice takes counts.
    const first = [...coords];
    for (const { dim, start } of picks) if (dim !== null && repeats[dim]) first[dim] = start;
    const found = fromSource(first);
    return found && linearOf(shape, found);
  }

  const tensor = Object.freeze({
    ...source,
    shape,
    dims: Object.freeze(namesOf(source.dims, kept)),
    digits: Object.freeze(shape.map(() => NO_DIGITS)),
    elements: productOf(shape),
    addressOf: (/** @type {readonly number[]} */ coords) => source.addressOf(toSource(coords)),
    // Each of its elements is looked up in the source.
    firstAlong: null,
    firstOwner: (/** @type {readonly number[]} */ coords) => coords,
    linearOf: (/** @type {readonly number[]} */ coords) => linearOf(shape, coords),
    coordsOf: (/** @type {number} */ linear) => coordsOf(shape, linear),
  });
  return Object.freeze({ tensor, picks, toSource, fromSource, placeAt });
}

/**
 * @param {readonly string[]} dims of the source
 * @param {readonly Pick[]} kept
 * @returns {string[]} new axes take letters that are not in use
 */
function namesOf(dims, kept) {
  const free = [...'abcdefghijklmnopqrstuvwxyz'].filter((letter) => !dims.includes(letter));
  return kept.map(({ dim }) => (dim === null ? (free.shift() ?? '?') : dims[dim]));
}

/**
 * The order of a slice's elements in memory.
 * @param {readonly number[]} offsets of all its elements
 * @returns {(address: number) => number} how many distinct addresses of them lie before this one
 */
export function memoryOrder(offsets) {
  const sorted = Float64Array.from(new Set(offsets)).sort();
  return (address) => {
    let from = 0;
    let to = sorted.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (sorted[middle] < address) from = middle + 1;
      else to = middle;
    }
    return from;
  };
}
