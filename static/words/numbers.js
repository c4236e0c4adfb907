/** @typedef {import('../core/types.js').Integer} Integer */

const NARROW_SPACE = '\u202f';

/**
 * An integer with spaces between the thousands, exact at any length.
 * @param {Integer} value
 * @returns {string}
 */
export function exactText(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

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
