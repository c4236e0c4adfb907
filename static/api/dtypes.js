/**
 * Bits of an element, which its name tells: int4 4, float8_e4m3fn 8, bfloat16 16; a bool takes a byte.
 * @param {string} dtype as the API names it
 * @returns {number}
 */
export function itemsizeBits(dtype) {
  const digits = /\d+/.exec(dtype);
  return digits ? Number(digits[0]) : 8;
}
