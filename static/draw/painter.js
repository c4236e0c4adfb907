/** @typedef {import('./types.js').Painter} Painter */
/** @typedef {import('./types.js').PainterOptions} PainterOptions */

/**
 * Colours of a tensor's elements.
 * @param {PainterOptions} options
 * @returns {Painter}
 */
export function createPainter(options) {
  throw new Error('not filled yet');
}

/**
 * The text of a cell.
 * @param {import('./types.js').Tensor} tensor
 * @param {readonly number[]} coords
 * @param {import('./types.js').CellText} text
 * @param {import('./types.js').Values | null} values
 * @returns {string}
 */
export function cellText(tensor, coords, text, values) {
  throw new Error('not filled yet');
}
