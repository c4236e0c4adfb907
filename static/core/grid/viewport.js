/** @import { Viewport, Cell, CellRange } from '../types.js' */

export const MOST_CELL_CSS = 128;
/** Cells that fit into a window open no larger than this. */
export const READING_CELL_CSS = 80;
/** Columns and rows of a long thin grid are stretched up to this side: it must not shrink to an invisible line. */
const LEAST_SIDE_CSS = 24;
/** The most that they are stretched to. Larger cells show borders and marks, which need squares. */
const MOST_STRETCHED_CSS = 5;
/** Room after the last column and row of a grid that fits, for the frame of a cell. */
export const FIT_MARGIN_CSS = 6;
const LEAST_CELL_CSS = 8;
const LEAST_WIDENED_CSS = 17;
/** The least cell that holds text of the smallest size: see zoom.js. */
export const OPENING_TEXT_CSS = 19.65;
/** Where not all of a grid can be read at once, its cells open no larger than this, and wide enough for four digits. */
const MOST_OPENING_CSS = 28;
const FOUR_DIGITS_CSS = 31;
const OPENING_TEXT_CELLS = 4096;
const RECOGNISABLE_CSS = 80;
const LEAST_OPENING_CSS = 0.1;
/** Fifty cells to a pixel: a picture of 4096 columns, three planes side by side, is still recognised. */
const LEAST_WHOLE_CSS = 0.02;
const WORTH_ROUNDING = 0.8;
/** Where a grid lies that no zoom has moved. */
export const MIDDLE = Object.freeze({ start_left_css: null, start_top_css: null });

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 * @returns {number}
 */
export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

/**
 * @param {Pick<Viewport, 'width_css' | 'height_css' | 'label_left_css' | 'label_top_css' | 'columns' | 'rows'>} parts
 * @returns {number} the cell side that shows the whole grid
 */
function fittingCell({ width_css, height_css, label_left_css, label_top_css, columns, rows }) {
  return Math.min(
    Math.max(1, width_css - label_left_css - FIT_MARGIN_CSS) / Math.max(1, columns),
    Math.max(1, height_css - label_top_css - FIT_MARGIN_CSS) / Math.max(1, rows),
  );
}

/**
 * @param {number} cells along one axis
 * @returns {number} the least size of a column or row
 */
function leastSide(cells) {
  return Math.min(MOST_STRETCHED_CSS, LEAST_SIDE_CSS / Math.max(1, cells));
}

/**
 * Where all cells can be read at once, they are as much wider than high as the window has room for.
 * @param {Pick<Viewport, 'width_css' | 'label_left_css' | 'columns' | 'most_wide'>} window
 * @param {number} fitting_css
 * @returns {number} width of a cell by its height
 */
function widening({ width_css, label_left_css, columns, most_wide }, fitting_css) {
  if (most_wide === 1 || fitting_css < LEAST_WIDENED_CSS) return 1;
  const room_css = (width_css - label_left_css - FIT_MARGIN_CSS) / columns;
  return clamp(room_css / Math.min(fitting_css, READING_CELL_CSS), 1, most_wide);
}

/**
 * @param {number} cell_css
 * @returns {number} rounded down to whole pixels where fractions would show as uneven cells and rounding costs little room
 */
function wholePixels(cell_css) {
  const whole_css = Math.floor(cell_css);
  return cell_css < LEAST_CELL_CSS && whole_css >= cell_css * WORTH_ROUNDING ? whole_css : cell_css;
}

/**
 * How far a window can scroll before empty space shows after the grid's end.
 * @param {number} cells of the grid, along one axis
 * @param {number} room_css
 * @param {number} cell_css
 * @returns {number} 0 where the grid is smaller than its window
 */
export function furthest(cells, room_css, cell_css) {
  return Math.max(0, cells - Math.max(0, room_css) / cell_css);
}

/**
 * Where the cells begin: a grid that is smaller than its window lies in the middle of it, or where a zoom has put it.
 * @param {number} window_css
 * @param {number} label_css room for labels before the cells
 * @param {number} cells_css of all cells
 * @param {number | null} start_css after the labels; null for the middle
 * @returns {number}
 */
function begin(window_css, label_css, cells_css, start_css) {
  const free_css = Math.max(0, window_css - label_css - cells_css - FIT_MARGIN_CSS);
  return label_css + (start_css === null ? Math.floor(free_css / 2) : clamp(start_css, 0, free_css));
}

/**
 * A frozen viewport, clamped so that it always shows some of the grid. Without cell_css the whole grid fits.
 * @param {{width_css: number, height_css: number, columns: number, rows: number, label_left_css?: number, label_top_css?: number, most_wide?: number, wide?: number | null, start_left_css?: number | null, start_top_css?: number | null, cell_css?: number, left_cells?: number, top_cells?: number}} parts
 * @returns {Viewport}
 */
export function createViewport(parts) {
  const { width_css, height_css, columns, rows, label_left_css = 0, label_top_css = 0, most_wide = 1 } = parts;
  const { start_left_css = null, start_top_css = null, wide = null } = parts;
  const window = { width_css, height_css, label_left_css, label_top_css, most_wide, columns, rows };
  const fitting_css = fittingCell(window);
  const wished_css = parts.cell_css ?? wholePixels(Math.min(fitting_css, READING_CELL_CSS));
  const cell_css = clamp(wished_css, Math.min(wholePixels(fitting_css), LEAST_CELL_CSS), MOST_CELL_CSS);
  const column_css = Math.max(cell_css * (wide ?? widening(window, fitting_css)), leastSide(columns));
  const row_css = Math.max(cell_css, leastSide(rows));
  // Empty space after the end is allowed: without it, zooming could not keep the cell under the pointer.
  const across_css = Math.min(width_css - label_left_css, column_css);
  const down_css = Math.min(height_css - label_top_css, row_css);
  return Object.freeze({
    ...window,
    wide,
    start_left_css,
    start_top_css,
    inset_left_css: begin(width_css, label_left_css, columns * column_css, start_left_css),
    inset_top_css: begin(height_css, label_top_css, rows * row_css, start_top_css),
    cell_css,
    column_css,
    row_css,
    left_cells: clamp(parts.left_cells ?? 0, 0, furthest(columns, across_css, column_css)),
    top_cells: clamp(parts.top_cells ?? 0, 0, furthest(rows, down_css, row_css)),
  });
}

/**
 * The same viewport with some parts changed, clamped again.
 * @param {Viewport} viewport
 * @param {Partial<Viewport>} changes
 * @returns {Viewport}
 */
export function changeViewport(viewport, changes) {
  return createViewport({ ...viewport, ...changes });
}

/**
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @returns {boolean} whether the whole cell is in the window
 */
export function showsCell(viewport, { column, row }) {
  const [across, down] = roomOf(viewport);
  const { left_cells, top_cells } = viewport;
  return column >= left_cells && row >= top_cells && column + 1 <= left_cells + across && row + 1 <= top_cells + down;
}

/**
 * @param {Viewport} viewport
 * @returns {[number, number]} the last first column and row that leave no empty space after the end
 */
export function ends({ width_css, height_css, inset_left_css, inset_top_css, columns, rows, column_css, row_css }) {
  return [
    furthest(columns, width_css - inset_left_css, column_css),
    furthest(rows, height_css - inset_top_css, row_css),
  ];
}

/**
 * Moves the content with the pointer: positive dx_css shows what lies to the left.
 * @param {Viewport} viewport
 * @param {number} dx_css
 * @param {number} dy_css
 * @returns {Viewport}
 */
export function panBy(viewport, dx_css, dy_css) {
  const { column_css, row_css, left_cells, top_cells } = viewport;
  const [most_left, most_top] = ends(viewport);
  return changeViewport(viewport, {
    left_cells: Math.min(left_cells - dx_css / column_css, Math.max(left_cells, most_left)),
    top_cells: Math.min(top_cells - dy_css / row_css, Math.max(top_cells, most_top)),
  });
}

/**
 * The whole grid in view, cells not larger than the reading size.
 * @param {Viewport} viewport
 * @returns {Viewport}
 */
export function fit(viewport) {
  return changeViewport(viewport, { ...MIDDLE, wide: null, cell_css: undefined, left_cells: 0, top_cells: 0 });
}

/**
 * The view to open with: readable text where a small grid allows it, else the whole grid. A grid that
 * would be very thin is fitted to its width; one of very many cells is shown at a cell per pixel. In a narrow
 * window text is no higher than it must be, so that more rows are seen.
 * @param {Viewport} viewport
 * @param {boolean} [narrow]
 * @returns {Viewport}
 */
export function opening(viewport, narrow = false) {
  const { columns, rows, most_wide } = viewport;
  const whole = fit(viewport);
  const thin_css = LEAST_SIDE_CSS / Math.max(1, Math.min(columns, rows));
  const whole_css = Math.max(whole.cell_css, thin_css);
  const width_css = Math.max(1, viewport.width_css - viewport.label_left_css - FIT_MARGIN_CSS) / columns;
  const readable = width_css >= OPENING_TEXT_CSS && columns * rows <= OPENING_TEXT_CELLS;
  const seen_css = Math.min(columns, rows) * whole_css;
  const small = seen_css < RECOGNISABLE_CSS && whole_css < OPENING_TEXT_CSS;
  if (whole_css < LEAST_OPENING_CSS && whole.cell_css < LEAST_WHOLE_CSS) return changeViewport(whole, { cell_css: 1 });
  const text = whole_css < OPENING_TEXT_CSS && (readable || small);
  const most_css = narrow && most_wide > 1 ? OPENING_TEXT_CSS : MOST_OPENING_CSS;
  const wished_css = text ? Math.max(whole_css, wholePixels(Math.min(width_css, most_css))) : whole_css;
  if (wished_css <= whole.cell_css) return whole;
  // Cells that are widened to fill the window stay in it across when they grow.
  const worth = text ? Math.min(most_wide, narrow ? most_wide : FOUR_DIGITS_CSS / wished_css) : 1;
  const widened = Math.max(widening(whole, fittingCell(whole)), worth);
  const wide = widened > 1 ? clamp(width_css / wished_css, 1, widened) : null;
  return changeViewport(whole, { cell_css: wished_css, wide });
}

/**
 * A cell in the middle of the window, as far as the grid reaches, and large enough to read: smaller
 * cells grow to `text_css`.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @param {number} text_css
 * @returns {Viewport}
 */
export function centre(viewport, { column, row }, text_css) {
  const cell_css = Math.max(viewport.cell_css, text_css);
  const zoomed = changeViewport(viewport, { cell_css });
  const [across, down] = roomOf(zoomed);
  const [most_left, most_top] = ends(zoomed);
  return changeViewport(zoomed, {
    left_cells: Math.min(column + 0.5 - across / 2, most_left),
    top_cells: Math.min(row + 0.5 - down / 2, most_top),
  });
}

/**
 * Scrolls as little as needed to show a cell and the frame around it.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @returns {Viewport}
 */
export function reveal(viewport, { column, row }) {
  const [across, down] = roomOf(viewport);
  return changeViewport(viewport, {
    left_cells: revealed(column, viewport.left_cells, across, viewport.column_css),
    top_cells: revealed(row, viewport.top_cells, down, viewport.row_css),
  });
}

/**
 * @param {number} cell along one axis
 * @param {number} first visible cell
 * @param {number} room in cells
 * @param {number} cell_css
 * @returns {number} first visible cell
 */
function revealed(cell, first, room, cell_css) {
  const beside = Math.max(0, Math.min(FIT_MARGIN_CSS / cell_css, (room - 1) / 2));
  return Math.min(cell - beside, Math.max(first, cell + 1 + beside - room));
}

/**
 * Whether a window can show two cells at once.
 * @param {Viewport} viewport
 * @param {Cell} one
 * @param {Cell} other
 * @returns {boolean}
 */
export function showsBoth(viewport, one, other) {
  const [across, down] = roomOf(viewport);
  return Math.abs(one.column - other.column) + 1 <= across && Math.abs(one.row - other.row) + 1 <= down;
}

/**
 * @param {Viewport} viewport
 * @returns {[number, number]} columns and rows that a window has room for
 */
export function roomOf({ width_css, height_css, inset_left_css, inset_top_css, column_css, row_css }) {
  return [(width_css - inset_left_css) / column_css, (height_css - inset_top_css) / row_css];
}

/**
 * Cells that touch the window, clipped to the grid; ends are exclusive.
 * @param {Viewport} viewport
 * @returns {CellRange}
 */
export function visibleRange(viewport) {
  const across = Math.max(0, viewport.width_css - viewport.inset_left_css) / viewport.column_css;
  const down = Math.max(0, viewport.height_css - viewport.inset_top_css) / viewport.row_css;
  return {
    firstColumn: Math.floor(viewport.left_cells),
    endColumn: Math.min(viewport.columns, Math.ceil(viewport.left_cells + across)),
    firstRow: Math.floor(viewport.top_cells),
    endRow: Math.min(viewport.rows, Math.ceil(viewport.top_cells + down)),
  };
}

/**
 * The cell under a point, null outside the grid or over the labels.
 * @param {Viewport} viewport
 * @param {number} x_css
 * @param {number} y_css
 * @returns {Cell | null}
 */
export function cellAt(viewport, x_css, y_css) {
  const x = x_css - viewport.inset_left_css;
  const y = y_css - viewport.inset_top_css;
  if (x < 0 || y < 0 || x_css >= viewport.width_css || y_css >= viewport.height_css) return null;
  const column = Math.floor(viewport.left_cells + x / viewport.column_css);
  const row = Math.floor(viewport.top_cells + y / viewport.row_css);
  return column < viewport.columns && row < viewport.rows ? { column, row } : null;
}

/**
 * Where a cell lies in the window: in the middle of a stretched column or row, else all of it.
 * @param {Viewport} viewport
 * @param {Cell} cell
 * @returns {import('../types.js').Place}
 */
export function rectOf(viewport, { column, row }) {
  const { inset_left_css, inset_top_css, left_cells, top_cells, cell_css, column_css, row_css } = viewport;
  const wide_css = cell_css > MOST_STRETCHED_CSS ? column_css : cell_css;
  return {
    x_css: inset_left_css + (column - left_cells) * column_css + (column_css - wide_css) / 2,
    y_css: inset_top_css + (row - top_cells) * row_css + (row_css - cell_css) / 2,
    wide_css,
    size_css: cell_css,
  };
}
