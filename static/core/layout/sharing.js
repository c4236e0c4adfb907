/** @import { PlacedDigit, Tensor } from '../types.js' */
/** @import { OwnerSearch } from './owner-search.js' */
import { linearOf, productOf, rowMajorWeights } from '../shape.js';
import { digitOf, isBroadcast } from './digits.js';

/** @typedef {Pick<Tensor, 'shares' | 'firstOwner' | 'firstAlong' | 'storedIndexOf' | 'storedElements'>} Sharing */

/**
 * Which element stands for an address that several share: its first owner in row-major order.
 *
 * Costs O(rank) where strides nest, else a question to the search.
 * @param {object} parts
 * @param {readonly number[]} parts.shape
 * @param {readonly (readonly PlacedDigit[])[]} parts.digits
 * @param {number} parts.elements
 * @param {boolean} parts.nested
 * @param {boolean} parts.disjoint known to share no address
 * @param {OwnerSearch} parts.search
 * @param {(coords: readonly number[]) => number} parts.addressOf without the swizzle, which changes no owner
 * @returns {Sharing}
 */
export function createSharing({ shape, digits, elements, nested, disjoint, search, addressOf }) {
  const broadcast = digits.some(isBroadcast);
  if (disjoint || elements === 0 || (nested && !broadcast)) {
    return {
      shares: false,
      firstOwner: (coords) => coords,
      firstAlong: (_dim, coordinate) => coordinate,
      storedIndexOf: (coords) => linearOf(shape, coords),
      storedElements: () => elements,
    };
  }
  if (nested) return sharingInNest(shape, digits);

  /**
   * @param {readonly number[]} coords
   * @param {number} [budget]
   */
  const firstOwner = (coords, budget) => search.ownerOf(addressOf(coords), budget).coords ?? coords;
  return {
    shares: true,
    firstOwner,
    firstAlong: null,
    storedIndexOf: (coords, budget) =>
      search.table()?.placeOf(addressOf(coords)) ?? linearOf(shape, firstOwner(coords, budget)),
    storedElements: () => search.table()?.stored ?? elements,
  };
}

/**
 * Where strides nest, two elements share an address only through digits of stride 0, each dimension
 * by itself.
 * @param {readonly number[]} shape
 * @param {readonly (readonly PlacedDigit[])[]} digits
 * @returns {Sharing}
 */
function sharingInNest(shape, digits) {
  const repeats = digits.map(isBroadcast);
  const stored = shape.map((size, dim) => (repeats[dim] ? placeAlong(digits[dim], size - 1, 'reached') + 1 : size));
  const weights = rowMajorWeights(stored);
  /** @param {number} dim @param {number} coordinate */
  const firstAlong = (dim, coordinate) => (repeats[dim] ? withoutRepeats(digits[dim], coordinate) : coordinate);
  return {
    shares: true,
    firstAlong,
    firstOwner: (coords) => coords.map((coordinate, dim) => firstAlong(dim, coordinate)),
    storedIndexOf: (coords) =>
      coords.reduce((sum, coordinate, dim) => {
        const place = repeats[dim] ? placeAlong(digits[dim], coordinate, 'own') : coordinate;
        return sum + place * weights[dim];
      }, 0),
    storedElements: () => productOf(stored),
  };
}

/**
 * @param {readonly PlacedDigit[]} digits of one dimension
 * @param {number} coordinate
 * @returns {number} the coordinate with 0 for every digit of stride 0
 */
function withoutRepeats(digits, coordinate) {
  return digits.reduce(
    (sum, digit) => sum + (digit.stride === 0 ? 0 : digitOf(digit, coordinate) * digit.weight),
    0,
  );
}

/**
 * A coordinate's place among those that differ in a digit of non-zero stride.
 * @param {readonly PlacedDigit[]} digits of one dimension, outermost first
 * @param {number} coordinate
 * @param {'own' | 'reached'} which its own place, or the greatest place up to this coordinate
 * @returns {number}
 */
function placeAlong(digits, coordinate, which) {
  let place = 0;
  let free = false;
  for (const digit of digits) {
    const own = digitOf(digit, coordinate);
    if (digit.stride !== 0) place = place * digit.extent + (free ? digit.extent - 1 : own);
    // Below a repeat that is not the first, all places of the inner digits were met before.
    else if (which === 'reached' && own > 0) free = true;
  }
  return place;
}
