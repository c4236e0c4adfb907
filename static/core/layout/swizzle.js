/** @typedef {import('../types.js').Swizzle} Swizzle */

const MOST_BITS = 30;
const LOW_BITS = 2 ** MOST_BITS - 1;

/**
 * A swizzle of the API, checked and frozen; null where there is none.
 *
 * RangeError for what is no swizzle: the rule of the engine, whose bits all lie below 2^30.
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
 * Addresses in aligned runs of this length stay among themselves.
 * @param {Swizzle} swizzle
 * @returns {number} a power of two
 */
export function periodOf({ bits, base, shift }) {
  return 2 ** (bits + base + Math.abs(shift));
}

/**
 * The XOR over a finished address, exact below 2^53; its own inverse.
 *
 * Source: CUTLASS include/cute/swizzle.hpp.
 * @param {Swizzle | null} swizzle
 * @returns {(address: number) => number}
 */
export function swizzleOf(swizzle) {
  if (swizzle === null || swizzle.bits === 0) return (address) => address;
  const { shift } = swizzle;
  const mask = maskOf(swizzle);
  // Bit operators see 32 bits: what they change lies below 2^30, so the difference is added.
  return (address) => {
    const low = address & LOW_BITS;
    const read = address & mask;
    return address - low + (low ^ (shift >= 0 ? read >>> shift : read << -shift));
  };
}
