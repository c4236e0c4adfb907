export { exactText, sizesText } from '../core/numbers.js';

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
