/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./types.js').Explanation} Explanation */

/**
 * The sum that leads to the address, symbolic and with the reader's numbers.
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 * @returns {Explanation}
 */
export function explainAddress(tensor, coords) {
  throw new Error('not filled yet');
}
