/** @import { Loop, Owner } from '../types.js' */
import { advance, contains, coordsOf, productOf } from '../shape.js';
import { coordinateAt } from './digits.js';

/**
 * @typedef {object} SearchParts
 * @property {readonly number[]} shape
 * @property {readonly Loop[]} loops largest stride first
 * @property {readonly number[]} reaches the most that the loops from each one on can add
 * @property {number} origin
 * @property {number} bufferElements
 * @property {readonly number[]} paddedShape
 * @property {(coords: readonly number[]) => number} addressOf
 * @property {(coords: readonly number[]) => number} ownersAt
 */

const TABLE_MOST_COORDS = 2 ** 20;
const DENSE_MOST_ADDRESSES = 2 ** 22;
const DEFAULT_BUDGET = 20_000;

/** @type {Owner} */
export const OUTSIDE = Object.freeze({ kind: 'outside', coords: null, count: 0 });
/** @type {Owner} */
export const GAP = Object.freeze({ kind: 'gap', coords: null, count: 0 });

/**
 * @typedef {object} OwnerTable every address of a small tensor
 * @property {(address: number) => Owner} ownerOf
 * @property {(address: number) => number} placeOf how many addresses have a first owner that comes
 *   before this one's, in row-major order; for addresses of elements
 * @property {number} stored addresses of elements, each once
 *
 * @typedef {object} OwnerSearch
 * @property {(address: number, budget?: number) => Owner} ownerOf
 * @property {() => OwnerTable | null} table null where the tensor is too large for one
 */

/**
 * Finds who owns an address where strides interleave: from a table of the whole tensor where it is
 * small, else by a search from the largest stride down, within a budget of steps.
 *
 * Elements take precedence over padding; coordinates are the first in row-major order. When the
 * budget is used up, the kind is undetermined, with the owners found so far.
 * @param {SearchParts} parts
 * @returns {OwnerSearch}
 */
export function createOwnerSearch(parts) {
  const paddedElements = productOf(parts.paddedShape);
  if (paddedElements > TABLE_MOST_COORDS) return { ownerOf: createDescent(parts), table: () => null };
  /** @type {OwnerTable | null} */
  let kept = null;
  const table = () => (kept ??= createTable(parts, paddedElements));
  return { ownerOf: (address) => table().ownerOf(address), table };
}

/**
 * @param {SearchParts} parts
 * @param {number} paddedElements
 * @returns {OwnerTable}
 */
function createTable({ shape, paddedShape, bufferElements, addressOf }, paddedElements) {
  const dense = bufferElements <= DENSE_MOST_ADDRESSES;
  /** @type {Map<number, number>} */
  const slots = new Map();
  const size = dense ? bufferElements : paddedElements;
  const firstElement = new Int32Array(size).fill(-1);
  const firstPadding = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  const places = new Int32Array(size);
  let stored = 0;
  const coords = new Array(shape.length).fill(0);
  for (let index = 0; index < paddedElements; index += 1) {
    const address = addressOf(coords);
    if (address >= 0 && address < bufferElements) {
      let slot = address;
      if (!dense) {
        slot = slots.get(address) ?? slots.size;
        slots.set(address, slot);
      }
      if (contains(shape, coords)) {
        if (counts[slot] === 0) {
          firstElement[slot] = index;
          places[slot] = stored;
          stored += 1;
        }
        counts[slot] += 1;
      } else if (firstPadding[slot] < 0) {
        firstPadding[slot] = index;
      }
    }
    advance(coords, paddedShape);
  }

  /** @param {number} address */
  const slotOf = (address) => (dense ? address : (slots.get(address) ?? -1));

  /**
   * @param {number} address
   * @returns {Owner}
   */
  function ownerOf(address) {
    const slot = slotOf(address);
    if (slot < 0) return GAP;
    const count = counts[slot];
    if (count > 0) {
      const kind = count === 1 ? 'element' : 'shared';
      return { kind, coords: coordsOf(paddedShape, firstElement[slot]), count };
    }
    if (firstPadding[slot] < 0) return GAP;
    return { kind: 'padding', coords: coordsOf(paddedShape, firstPadding[slot]), count: 0 };
  }
  return { ownerOf, placeOf: (address) => places[slotOf(address)], stored };
}

/**
 * @param {readonly number[]} left
 * @param {readonly number[] | null} right
 * @returns {boolean} left comes first in row-major order
 */
function precedes(left, right) {
  if (right === null) return true;
  const dim = left.findIndex((coordinate, at) => coordinate !== right[at]);
  return dim >= 0 && left[dim] < right[dim];
}

/**
 * @param {SearchParts} parts
 * @returns {(address: number, budget?: number) => Owner}
 */
function createDescent({ shape, loops, reaches, origin, ownersAt }) {
  const divisor = new Array(loops.length + 1).fill(0);
  for (let at = loops.length - 1; at >= 0; at -= 1) {
    divisor[at] = gcd(loops[at].stride, divisor[at + 1]);
  }

  return (address, budget = DEFAULT_BUDGET) => {
    const coords = new Array(shape.length).fill(0);
    let steps = 0;
    let count = 0;
    /** @type {number[] | null} */
    let element = null;
    /** @type {number[] | null} */
    let padding = null;

    /**
     * @param {number} at
     * @param {number} rest
     */
    function descend(at, rest) {
      steps += 1;
      if (steps > budget) return;
      if (at === loops.length) {
        const owners = ownersAt(coords);
        count += owners;
        if (owners > 0 && precedes(coords, element)) element = [...coords];
        if (owners === 0 && precedes(coords, padding)) padding = [...coords];
        return;
      }
      if (rest % divisor[at] !== 0) return;
      const loop = loops[at];
      const { dim, extent, stride } = loop;
      // The bounds on what the later loops can add rule out most branches at once.
      const most = Math.min(extent - 1, Math.floor(rest / stride));
      const least = Math.max(0, Math.ceil((rest - reaches[at + 1]) / stride));
      const before = coords[dim];
      for (let digit = least; digit <= most && steps <= budget; digit += 1) {
        coords[dim] = before + coordinateAt(loop, digit);
        descend(at + 1, rest - digit * stride);
      }
      coords[dim] = before;
    }

    const rest = address - origin;
    if (rest < 0 || rest > reaches[0]) return GAP;
    descend(0, rest);
    if (steps > budget) return { kind: 'undetermined', coords: element, count };
    if (element !== null) return { kind: count === 1 ? 'element' : 'shared', coords: element, count };
    return padding === null ? GAP : { kind: 'padding', coords: padding, count: 0 };
  };
}

/**
 * @param {number} left
 * @param {number} right
 * @returns {number}
 */
function gcd(left, right) {
  return right === 0 ? left : gcd(right, left % right);
}
