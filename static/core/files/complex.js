/** @typedef {import('./npy.js').Numbers} Numbers */

/**
 * Complex numbers as a file has them, each a real and an imaginary part: the absolute values, which colours follow,
 * and the parts.
 * @param {Numbers} pairs
 * @returns {{data: Float64Array, parts: readonly [Float64Array, Float64Array]}}
 */
export function splitComplex(pairs) {
  const count = pairs.length / 2;
  const [real, imaginary] = [0, 1].map((part) => Float64Array.from({ length: count }, (_, at) => Number(pairs[2 * at + part])));
  return { data: real.map((value, at) => Math.hypot(value, imaginary[at])), parts: [real, imaginary] };
}

/**
 * As Python writes it, without brackets: 1.5-2j.
 * @param {string} real
 * @param {string} imaginary
 */
export function complexText(real, imaginary) {
  return `${real}${imaginary.startsWith('-') ? '' : '+'}${imaginary}j`;
}
