/** @import { Viewport, Cell } from '../types.js' */
import { changeViewport, clamp, ends, fit, furthest, MIDDLE, rectOf, reveal } from './viewport.js';

/**
 * Zooms along one axis and keeps the cell under a point in place. A grid that is smaller than its window moves within it;
 * zooming in may move the start of a grid out of its window even where the rest leaves room; zooming out brings it back.
 * Where no cell lies under the point, nothing is kept in place.
 * @param {{start_cells: number, cells: number, at_css: number, point_css: number, room_css: number, before_css: number, after_css: number}} axis
 *   at_css: of the point from the first cell of the window, point_css: from the labels
 * @returns {{first_cells: number, start_css: number | null}} the first cell of the window, and where it begins
 */
function zoomedStart({ start_cells, cells, at_css, point_css, room_css, before_css, after_css }) {
  const at_cells = start_cells + at_css / before_css;
  const start_css = point_css - at_cells * after_css;
  const met = at_cells < cells;
  if (met && start_css >= 0) return { first_cells: 0, start_css };
  const kept = -start_css / after_css;
  const empty_css = Math.max(0, start_cells - furthest(cells, room_css, before_css)) * before_css;
  const most = furthest(cells, room_css, after_css) + empty_css / after_css;
  return { first_cells: met && after_css > before_css ? kept : clamp(kept, 0, most), start_css: met ? 0 : null };
}

/**
 * Zooms by a factor and keeps the cell under (x_css, y_css) in place.
 * @param {Viewport} viewport
 * @param {number} factor
 * @param {number} x_css
 * @param {number} y_css
 * @returns {Viewport}
 */
export function zoomAt(viewport, factor, x_css, y_css) {
  const { inset_left_css, inset_top_css, label_left_css, label_top_css, columns, rows } = viewport;
  const zoomed = changeViewport(viewport, { cell_css: viewport.cell_css * factor });
  const across = zoomedStart({
    before_css: viewport.column_css,
    after_css: zoomed.column_css,
    start_cells: viewport.left_cells,
    cells: columns,
    at_css: Math.max(0, x_css - inset_left_css),
    point_css: Math.max(inset_left_css, x_css) - label_left_css,
    room_css: viewport.width_css - label_left_css,
  });
  const down = zoomedStart({
    before_css: viewport.row_css,
    after_css: zoomed.row_css,
    start_cells: viewport.top_cells,
    cells: rows,
    at_css: Math.max(0, y_css - inset_top_css),
    point_css: Math.max(inset_top_css, y_css) - label_top_css,
    room_css: viewport.height_css - label_top_css,
  });
  return changeViewport(zoomed, {
    left_cells: across.first_cells, start_left_css: across.start_css, top_cells: down.first_cells, start_top_css: down.start_css,
  });
}

/**
 * Zooms by a factor about the middle; a grid that is smaller than its window stays in the middle of it.
 * @param {Viewport} viewport
 * @param {number} factor
 * @returns {Viewport}
 */
export function zoomAbout(viewport, factor) {
  const zoomed = zoomAt(viewport, factor, viewport.width_css / 2, viewport.height_css / 2);
  const [left_cells, top_cells] = ends(zoomed);
  return changeViewport(zoomed, {
    ...MIDDLE,
    left_cells: Math.min(zoomed.left_cells, left_cells),
    top_cells: Math.min(zoomed.top_cells, top_cells),
  });
}

/**
 * Zooms by a factor about a cell, which stays in view, and in its place as far as the grid's ends allow.
 * @param {Viewport} viewport
 * @param {number} factor
 * @param {Cell} cell in the window
 * @returns {Viewport}
 */
export function zoomAboutCell(viewport, factor, cell) {
  const { x_css, y_css, wide_css, size_css } = rectOf(viewport, cell);
  const zoomed = zoomAt(viewport, factor, x_css + wide_css / 2, y_css + size_css / 2);
  const [left_cells, top_cells] = ends(zoomed);
  const within = changeViewport(zoomed, {
    left_cells: Math.min(zoomed.left_cells, left_cells),
    top_cells: Math.min(zoomed.top_cells, top_cells),
  });
  return reveal(within, cell);
}

/**
 * @param {Viewport} one
 * @param {Viewport} other
 * @returns {{left_cells: number, top_cells: number}} how far the first window is from the other, in cells
 */
export function distanceOf(one, other) {
  return { left_cells: one.left_cells - other.left_cells, top_cells: one.top_cells - other.top_cells };
}

/**
 * @param {Viewport} viewport
 * @param {{left_cells: number, top_cells: number}} by
 */
export function moved(viewport, by) {
  if (by.left_cells === 0 && by.top_cells === 0) return viewport;
  return changeViewport(viewport, { left_cells: viewport.left_cells + by.left_cells, top_cells: viewport.top_cells + by.top_cells });
}

/**
 * @param {Viewport} viewport
 * @returns {Readonly<{cell_css: number, left_cells: number, top_cells: number}>}
 */
export function placeOf({ cell_css, left_cells, top_cells }) {
  return Object.freeze({ cell_css, left_cells, top_cells });
}

/**
 * The zoom of another window and, where rows have another length, the place that shows the same addresses.
 * @param {Viewport} viewport
 * @param {Viewport} other
 * @returns {Viewport}
 */
export function atPlaceOf(viewport, other) {
  const top_cells = (other.top_cells * other.columns) / viewport.columns;
  return changeViewport(viewport, { ...placeOf(other), top_cells });
}

/**
 * The same view with cells as wide and as far from the edges as in the window that leads, where rows have one length.
 * @param {Viewport} viewport
 * @param {Viewport} lead
 * @returns {Viewport}
 */
export function alignedWith(viewport, lead) {
  if (viewport.columns !== lead.columns) return viewport;
  return changeViewport(viewport, {
    wide: lead.column_css / lead.cell_css,
    start_left_css: lead.inset_left_css - viewport.label_left_css,
    start_top_css: lead.inset_top_css - viewport.label_top_css,
  });
}

/**
 * The view beside a window that leads. Rows of another length open as they would alone, and are whole beside a whole.
 * @param {Viewport} viewport
 * @param {Viewport} lead
 * @param {unknown} wish what the reader has made of the lead: null as long as it is as it opened
 * @returns {Viewport}
 */
export function besideLead(viewport, lead, wish) {
  if (lead.columns !== viewport.columns && wish === 'fit') return fit(viewport);
  return lead.columns !== viewport.columns && wish === null ? viewport : alignedWith(atPlaceOf(viewport, lead), lead);
}
