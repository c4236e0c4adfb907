/** 64 bytes, as on nearly every processor of today. */
const CACHE_LINE_BITS = 512;

/**
 * The address of an element in bytes, exact at any length.
 * @param {number | string | bigint} elements address in elements
 * @param {number} itemsize_bits
 * @returns {{bytes: bigint, bits: number}} whole bytes, and the remaining bits
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
