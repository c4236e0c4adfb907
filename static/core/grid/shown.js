/** @import { Viewport, Cell, LogicalGrid } from '../types.js' */
import { centre, changeViewport, fit, FIT_MARGIN_CSS, OPENING_TEXT_CSS, reveal, roomOf, showsBoth, showsCell } from './viewport.js';
import { TIGHT_COLUMN } from './zoom.js';

/** Text of this part of the comfortable size is accepted where it brings two cells into one window. */
const STILL_READABLE = 0.75;
/** The least cell that the eye finds by its mark, though its text may not fit. */
const FOUND_CSS = 12;
/** So much larger than the whole, at most, planes open to be read. */
const MOST_TIMES = 2.5;
/** Cells that are read where only a part opens are so many times wider than high: more of them are seen. */
const FLAT = 3;
/** Of a window behind the last plane. */
const MOST_EMPTY = 1 / 3;

/**
 * Scrolls to show a cell, and a second one where both fit into the window.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @param {Cell | null | undefined} partner
 * @returns {Viewport}
 */
export function inView(viewport, cell, partner) {
  return reveal(partner && showsBoth(viewport, cell, partner) ? reveal(viewport, partner) : viewport, cell);
}

/**
 * Whether a cell is in view, and its partner where it has one, in cells that the eye finds.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @param {Cell | null | undefined} partner
 * @returns {boolean}
 */
export function inSight(viewport, cell, partner) {
  return viewport.cell_css >= FOUND_CSS && showsCell(viewport, cell) && (!partner || showsCell(viewport, partner));
}

/**
 * A cell in the middle and large enough to read, or two where both fit into the window so.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @param {Cell | null | undefined} partner
 * @param {number} text_css
 * @returns {Viewport}
 */
export function inMiddle(viewport, cell, partner, text_css) {
  const alone = centre(viewport, cell, text_css);
  if (!partner) return alone;
  const between = { column: (cell.column + partner.column) / 2, row: (cell.row + partner.row) / 2 };
  const both = [1, STILL_READABLE].map((part) => centre(viewport, between, text_css * part));
  return both.find((view) => showsBoth(view, cell, partner)) ?? alone;
}

/**
 * A cell large enough to read, as little of the window as that takes: as wide as its text needs, and lower than wide.
 * @param {Viewport} viewport
 * @param {Cell | null} cell null for the first
 * @param {number} text_css the least width of a column
 * @returns {Viewport}
 */
export function closeUp(viewport, cell, text_css) {
  const column_css = text_css * TIGHT_COLUMN;
  const cell_css = Math.max(OPENING_TEXT_CSS, column_css / FLAT);
  return centre(changeViewport(viewport, { wide: column_css / cell_css }), cell ?? { column: 0, row: 0 }, cell_css);
}

/** @typedef {Pick<import('../types.js').LogicalGrid, 'planeColumns' | 'planeRows' | 'pitchColumns' | 'pitchRows'>} Planes */

/**
 * Planes whose texts can be read, in cells no larger than that needs, and a cell among them.
 * @param {Viewport} viewport
 * @param {Cell | null} cell null for the first
 * @param {number} text_css the width of a column whose texts are told apart
 * @param {Planes} planes
 * @param {boolean} wished even where far fewer of them can be read than there are
 * @returns {Viewport | null} null for the whole, and where the window has no room for a plane
 */
export function readPlanes(viewport, cell, text_css, planes, wished) {
  const whole = fit(viewport);
  if (!wished && MOST_TIMES * whole.cell_css < text_css) return null;
  const cell_css = Math.max(whole.cell_css, OPENING_TEXT_CSS);
  const least_css = leastColumn(viewport, text_css, planes);
  const wide = readColumn(viewport, cell_css, least_css) / cell_css;
  const reads = viewport.column_css >= least_css && viewport.cell_css >= OPENING_TEXT_CSS;
  return showPlane(reads ? viewport : changeViewport(whole, { cell_css, wide }), cell ?? { column: 0, row: 0 }, planes);
}

/**
 * The least width of a column: of one whose texts are told apart, or narrower, down to what a text takes, where the
 * window then has room for one more plane to its last column.
 * @param {Viewport} viewport
 * @param {number} text_css
 * @param {Planes} planes
 */
function leastColumn({ width_css, label_left_css, columns }, text_css, { planeColumns, pitchColumns }) {
  const room_css = width_css - label_left_css - FIT_MARGIN_CSS;
  const gap = pitchColumns - planeColumns;
  const fitting = Math.floor((Math.min(columns, room_css / (text_css * TIGHT_COLUMN)) + gap) / pitchColumns);
  return fitting < 1 ? text_css : Math.min(text_css, room_css / (fitting * pitchColumns - gap));
}

/**
 * The width of a column whose texts can be read, as large as the window has room for.
 * @param {Viewport} viewport
 * @param {number} cell_css height of its cells
 * @param {number} text_css the least width
 */
function readColumn({ width_css, label_left_css, columns, most_wide }, cell_css, text_css) {
  return Math.max(text_css, Math.min((width_css - label_left_css - FIT_MARGIN_CSS) / columns, cell_css * most_wide));
}

/**
 * A view that was kept, in a narrow window: cells high enough for a text are wide enough too.
 * @param {Viewport} viewport
 * @param {{cell_css: number, left_cells: number, top_cells: number}} view
 * @param {number} text_css the least width of a column
 * @returns {Viewport}
 */
export function keptView(viewport, view, text_css) {
  const { cell_css } = view;
  const wide = cell_css >= OPENING_TEXT_CSS ? Math.max(1, readColumn(viewport, cell_css, text_css) / cell_css) : null;
  return changeViewport(viewport, { ...view, wide });
}

/**
 * Scrolls, where a cell is not in view, to the beginning of a plane, as little from that of the grid as shows the cell's
 * plane whole; or to the grid's end, where much of the window would be empty.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @param {Planes} planes
 * @returns {Viewport | null} null where the window has no room for a plane
 */
export function showPlane(viewport, { column, row }, { planeColumns, planeRows, pitchColumns, pitchRows }) {
  const { columns, rows, column_css, row_css } = viewport;
  const [across, down] = roomOf(viewport);
  const left_cells = firstCell(column, viewport.left_cells, planeColumns, pitchColumns, across - FIT_MARGIN_CSS / column_css, columns);
  const top_cells = firstCell(row, viewport.top_cells, planeRows, pitchRows, down - FIT_MARGIN_CSS / row_css, rows);
  return left_cells === null || top_cells === null ? null : changeViewport(viewport, { left_cells, top_cells });
}

/**
 * A window that begins with a plane, and with the coordinates above it, where it has room for one.
 * @param {Viewport} viewport
 * @param {Cell | null} cell that it shows; null for the first
 * @param {Planes | null} planes
 * @returns {Viewport}
 */
export function fromPlane(viewport, cell, planes) {
  const start = changeViewport(viewport, { left_cells: 0, top_cells: 0 });
  return (planes && showPlane(start, cell ?? { column: 0, row: 0 }, planes)) ?? viewport;
}

/**
 * Where planes were arranged anew since a view of them was chosen, the cell that stays in it: the chosen one, where it
 * was in view, else the one that was in the middle.
 * @param {Viewport} view before
 * @param {LogicalGrid} before the arrangement of that view
 * @param {LogicalGrid} after of the same shape
 * @param {readonly number[] | null} chosen
 * @returns {Cell | null} where it lies now; null where the planes stand as they did
 */
export function keptCell(view, before, after, chosen) {
  if (before.columns === after.columns && before.rows === after.rows) return null;
  const [across, down] = roomOf(view);
  const seen = chosen && showsCell(view, before.cellOf(chosen)) ? chosen : null;
  const [column, row] = [view.left_cells + across / 2, view.top_cells + down / 2].map(Math.floor);
  const coords = seen ?? before.nearestAt(Math.min(column, before.columns - 1), Math.min(row, before.rows - 1));
  return coords && after.cellOf(coords);
}

/**
 * @param {number} cell along one axis
 * @param {number} first visible cell
 * @param {number} extent of a plane
 * @param {number} pitch from plane to plane
 * @param {number} room in cells
 * @param {number} cells of the grid
 * @returns {number | null} the first cell of the window
 */
function firstCell(cell, first, extent, pitch, room, cells) {
  if (extent > room) return null;
  if (cell >= first && cell + 1 <= first + room) return first;
  const end = Math.floor(cell / pitch) * pitch + extent;
  const plane = pitch * Math.max(0, Math.ceil((end - room) / pitch));
  const last = Math.max(0, cells - room);
  return plane - last > MOST_EMPTY * room ? last : plane;
}
