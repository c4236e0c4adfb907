/** @import { Digit, Loop, PlacedDigit } from '../types.js' */
import { rowMajorWeights } from '../shape.js';

/**
 * @param {readonly Digit[]} digits of one dimension, outermost first
 * @returns {readonly PlacedDigit[]} each with its weight: the coordinate units per digit unit
 */
export function placed(digits) {
  const weights = rowMajorWeights(digits.map(({ extent }) => extent));
  return Object.freeze(
    digits.map(({ extent, stride }, at) => Object.freeze({ extent, stride, weight: weights[at] })),
  );
}

/**
 * A digit of a coordinate.
 * @param {PlacedDigit} digit
 * @param {number} coordinate below the product of the dimension's extents
 * @returns {number}
 */
export function digitOf({ extent, weight }, coordinate) {
  const quotient = Math.floor(coordinate / weight);
  return quotient < extent ? quotient : quotient % extent;
}

/**
 * @param {readonly Digit[]} digits of one dimension
 * @returns {boolean} whether several of its coordinates share each address
 */
export function isBroadcast(digits) {
  return digits.some(({ extent, stride }) => stride === 0 && extent > 1);
}

/**
 * How many coordinates below `size` have the same digits as `coordinate` where strides are
 * non-zero, whatever their broadcast digits.
 * @param {readonly PlacedDigit[]} digits outermost first
 * @param {number} coordinate
 * @param {number} size
 * @returns {number}
 */
export function countSharing(digits, coordinate, size) {
  if (size === 0) return 0;
  let below = 0;
  let tight = true;
  for (const digit of digits) {
    const last = digitOf(digit, size - 1);
    if (digit.stride === 0) {
      below = below * digit.extent + (tight ? last : 0);
    } else {
      const own = digitOf(digit, coordinate);
      if (tight && own < last) below += 1;
      tight = tight && own === last;
    }
  }
  return below + (tight ? 1 : 0);
}

/**
 * Loops over the non-zero strides, largest first. Negative strides become positive from a lower origin.
 * @param {readonly (readonly PlacedDigit[])[]} digits
 * @param {number} offset
 * @returns {{loops: readonly Loop[], origin: number}}
 */
export function loopsOf(digits, offset) {
  /** @type {Loop[]} */
  const loops = [];
  let origin = offset;
  digits.forEach((dimDigits, dim) => {
    for (const { extent, stride, weight } of [...dimDigits].reverse()) {
      if (extent <= 1 || stride === 0) continue;
      const flipped = stride < 0;
      if (flipped) origin += (extent - 1) * stride;
      loops.push(Object.freeze({ dim, extent, stride: Math.abs(stride), flipped, weight }));
    }
  });
  loops.sort((left, right) => right.stride - left.stride);
  return { loops: Object.freeze(loops), origin };
}

/**
 * What a loop adds to the coordinate of its dimension after so many steps.
 * @param {Loop} loop
 * @param {number} steps
 * @returns {number}
 */
export function coordinateAt({ extent, flipped, weight }, steps) {
  return weight * (flipped ? extent - 1 - steps : steps);
}

/**
 * The most that the loops from each one on can add to an address.
 * @param {readonly Loop[]} loops
 * @returns {number[]} one per loop, and a final 0
 */
export function reachesOf(loops) {
  const reaches = new Array(loops.length + 1).fill(0);
  for (let at = loops.length - 1; at >= 0; at -= 1) {
    reaches[at] = reaches[at + 1] + (loops[at].extent - 1) * loops[at].stride;
  }
  return reaches;
}
