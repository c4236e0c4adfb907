/** Up to so many elements, cells have letters instead of numbers. */
export const LETTERS = 26;

/** @import { Integer } from './types.js' */

const NARROW_SPACE = '\u202f';

/**
 * An integer with spaces between the thousands, exact at any length; a text keeps what is not an integer, or a binary one.
 * @param {Integer} value
 * @returns {string}
 */
export function exactText(value) {
  return String(value).replace(/(?<![\d.]|0b)\d{4,}/g, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE));
}

/**
 * @param {readonly Integer[]} shape
 * @returns {string} as 2 × 64 × 3 × 3
 */
export function sizesText(shape) {
  return shape.length > 0 ? shape.map(exactText).join(' × ') : 'one element';
}
