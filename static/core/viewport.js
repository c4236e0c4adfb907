/** @typedef {import('./types.js').Viewport} Viewport */
/** @typedef {import('./types.js').Cell} Cell */
/** @typedef {import('./types.js').CellRange} CellRange */
/** @typedef {import('./types.js').ZoomLevel} ZoomLevel */
/** @typedef {import('./types.js').Tensor} Tensor */

/**
 * A clamped, frozen viewport. Missing cell_css fits the grid.
 * @param {{width_css: number, height_css: number, columns: number, rows: number, inset_left_css?: number, inset_top_css?: number, cell_css?: number, left_cells?: number, top_cells?: number}} parts
 * @returns {Viewport}
 */
export function createViewport(parts) {
  throw new Error('not filled yet');
}

/**
 * The same viewport with some parts changed, clamped again.
 * @param {Viewport} viewport
 * @param {Partial<Viewport>} changes
 * @returns {Viewport}
 */
export function changeViewport(viewport, changes) {
  throw new Error('not filled yet');
}

/**
 * Zooms by a factor and keeps the point under (x_css, y_css) in place.
 * @param {Viewport} viewport
 * @param {number} factor
 * @param {number} x_css
 * @param {number} y_css
 * @returns {Viewport}
 */
export function zoomAt(viewport, factor, x_css, y_css) {
  throw new Error('not filled yet');
}

/**
 * Moves the content with the pointer: positive dx_css shows what lies to the left.
 * @param {Viewport} viewport
 * @param {number} dx_css
 * @param {number} dy_css
 * @returns {Viewport}
 */
export function panBy(viewport, dx_css, dy_css) {
  throw new Error('not filled yet');
}

/**
 * The whole grid in view, cells not larger than the reading size.
 * @param {Viewport} viewport
 * @returns {Viewport}
 */
export function fit(viewport) {
  throw new Error('not filled yet');
}

/**
 * Scrolls as little as needed to show a cell.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @returns {Viewport}
 */
export function reveal(viewport, cell) {
  throw new Error('not filled yet');
}

/**
 * Cells that touch the window, clipped to the grid; ends are exclusive.
 * @param {Viewport} viewport
 * @returns {CellRange}
 */
export function visibleRange(viewport) {
  throw new Error('not filled yet');
}

/**
 * The cell under a point, null outside the grid or over the labels.
 * @param {Viewport} viewport
 * @param {number} x_css
 * @param {number} y_css
 * @returns {Cell | null}
 */
export function cellAt(viewport, x_css, y_css) {
  throw new Error('not filled yet');
}

/**
 * Where a cell lies in the window.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @returns {{x_css: number, y_css: number, size_css: number}}
 */
export function rectOf(viewport, cell) {
  throw new Error('not filled yet');
}

/**
 * How much a cell can show. Without `characters`, text of four characters is assumed.
 * @param {Viewport} viewport
 * @param {number} [characters]
 * @returns {ZoomLevel}
 */
export function zoomLevel(viewport, characters) {
  throw new Error('not filled yet');
}

/**
 * Addresses per row of the memory grid: 'auto' takes the stride that gives the best page, 'line' 64 bytes.
 * @param {Tensor} tensor
 * @param {'auto' | 'line' | number} wish
 * @param {number} itemsize_bits
 * @returns {number}
 */
export function rowLengthOf(tensor, wish, itemsize_bits) {
  throw new Error('not filled yet');
}
