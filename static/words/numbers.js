import { complexText } from '../core/files/complex.js';
import { exactText } from '../core/numbers.js';

export { exactText, sizesText } from '../core/numbers.js';

/** @import { Values } from '../core/types.js' */

/**
 * Types of fewer digits than a number here has: bits behind the leading one, and the exponent of the least normal number.
 * @type {Readonly<Record<string, readonly [number, number]>>}
 */
const NARROW = Object.freeze({
  float32: [23, -126],
  float16: [10, -14],
  bfloat16: [7, -126],
  float8_e4m3fn: [3, -6],
  float8_e5m2: [2, -14],
  float4_e2m1fn: [1, 0],
});
/** The type of each part of a complex number. @type {Readonly<Record<string, string>>} */
const PART = Object.freeze({ complex64: 'float32', complex128: 'float64' });
const MOST_DIGITS = 9;
/** Beyond these NumPy writes an exponent. */
const [LEAST_FIXED, MOST_FIXED] = [1e-4, 1e16];

/**
 * Coordinates with the names of their dimensions: "n 0, c 3, h 1, w 2".
 * @param {readonly string[]} dims
 * @param {readonly number[]} coords
 * @returns {string}
 */
export function coordsText(dims, coords) {
  if (coords.length === 0) return 'the only element';
  return coords.map((index, dim) => `${dims[dim].toLowerCase()} ${index}`).join(', ');
}

/**
 * A value with the fewest digits that its type reads back as the same value, as NumPy prints it: 0.104900114.
 * @param {Values} values
 * @param {number} at
 * @returns {string}
 */
export function valueText({ data, parts, dtype = '' }, at) {
  if (parts) {
    const [real, imaginary] = parts.map((part) => valueText({ data: part, dtype: PART[dtype], role: 'data' }, at));
    return complexText(real, imaginary);
  }
  const value = data[at];
  if (typeof value === 'bigint' || !Number.isFinite(value) || value === 0) return Object.is(value, -0) ? '-0' : String(value);
  const shortest = shortestOf(value, NARROW[dtype]);
  const size = Math.abs(shortest);
  // A whole number that is not this one would seem exact.
  const exact = shortest === value || !Number.isInteger(shortest);
  if (exact && size >= LEAST_FIXED && size < MOST_FIXED) return String(shortest);
  return shortest.toExponential().replace(/([+-])(\d)$/, '$10$2');
}

/**
 * @param {number} value
 * @param {readonly [number, number] | undefined} format
 * @returns {number} the number of fewest digits that is rounded to the value
 */
function shortestOf(value, format) {
  if (!format) return value;
  for (let digits = 1; digits < MOST_DIGITS; digits += 1) {
    const found = ofDigits(value, digits).find((near) => rounded(near, format) === value);
    if (found !== undefined) return found;
  }
  return Number(value.toPrecision(MOST_DIGITS));
}

/**
 * @param {number} value
 * @param {number} digits
 * @returns {number[]} the nearest number of so many digits; of two, the one with an even last digit first
 */
function ofDigits(value, digits) {
  const longer = value.toExponential(digits);
  const between = Number(longer) === value && /[02468]\.?5e/.test(longer);
  const near = Number(value.toPrecision(digits));
  return between ? [Number(longer.replace('5e', 'e')), near] : [near];
}

/**
 * @param {number} value
 * @param {readonly [number, number]} format
 * @returns {number} the nearest number of the format, the even one of two
 */
function rounded(value, [bits, least]) {
  let step = 2 ** (least - bits);
  while (Math.abs(value) >= step * 2 ** (bits + 1)) step *= 2;
  const steps = value / step;
  const below = Math.floor(steps);
  const half = steps - below - 0.5;
  const up = half > 0 || (half === 0 && below % 2 !== 0);
  return (up ? below + 1 : below) * step;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${exactText(count)} ${count === 1 ? one : many}`;
}
