/** 64 bytes, on nearly every processor of today. */
const CACHE_LINE_BITS = 512;

/**
 * Where an element begins, exact at any length.
 * @param {number | string | bigint} elements before it
 * @param {number} itemsize_bits
 * @returns {{bytes: bigint, bits: number}} whole bytes, and the bits beyond them
 */
export function bytesOf(elements, itemsize_bits) {
  const bits = BigInt(elements) * BigInt(itemsize_bits);
  return { bytes: bits / 8n, bits: Number(bits % 8n) };
}

/**
 * @param {number} itemsize_bits
 * @returns {number} elements in a cache line, at least one
 */
export function cacheLine(itemsize_bits) {
  return Math.max(1, Math.floor(CACHE_LINE_BITS / itemsize_bits));
}
