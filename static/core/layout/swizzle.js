/** @import { Swizzle } from '../types.js' */

const MOST_BITS = 30;
const LOW_BITS = 2 ** MOST_BITS - 1;

/**
 * Checks and freezes a swizzle of the API; null where there is none.
 *
 * Throws a RangeError for what the engine refuses too: all bits must lie below 2^30.
 * @param {Swizzle | null | undefined} swizzle
 * @returns {Swizzle | null}
 */
export function checkSwizzle(swizzle) {
  if (swizzle === null || swizzle === undefined) return null;
  const { bits, base, shift } = swizzle;
  const whole = [bits, base, shift].every(Number.isInteger);
  const apart = Math.abs(shift) >= bits && bits >= 0 && base >= 0;
  if (!whole || !apart || bits + base + Math.abs(shift) > MOST_BITS) {
    throw new RangeError(`drawing does not know the swizzle <${bits},${base},${shift}>`);
  }
  return Object.freeze({ bits, base, shift });
}

/**
 * The bits that a swizzle reads.
 * @param {Swizzle} swizzle
 * @returns {number} below 2^30
 */
export function maskOf({ bits, base, shift }) {
  return ((1 << bits) - 1) << (base + Math.max(shift, 0));
}

/**
 * A swizzle exchanges addresses only within aligned runs of this length.
 * @param {Swizzle} swizzle
 * @returns {number} a power of two
 */
export function periodOf({ bits, base, shift }) {
  return 2 ** (bits + base + Math.abs(shift));
}

/**
 * The XOR over an address, exact below 2^53. It is its own inverse.
 *
 * Source: CUTLASS include/cute/swizzle.hpp.
 * @param {Swizzle | null} swizzle
 * @returns {(address: number) => number}
 */
export function swizzleOf(swizzle) {
  if (swizzle === null || swizzle.bits === 0) return (address) => address;
  const { shift } = swizzle;
  const mask = maskOf(swizzle);
  // Bit operators see 32 bits only. All changed bits lie below 2^30: the rest is added again.
  return (address) => {
    const low = address & LOW_BITS;
    const read = address & mask;
    return address - low + (low ^ (shift >= 0 ? read >>> shift : read << -shift));
  };
}
