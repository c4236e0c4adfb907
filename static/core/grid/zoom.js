/** @import { Viewport, ZoomStep } from '../types.js' */
import { changeViewport, fit, MOST_CELL_CSS, visibleRange } from './viewport.js';

/** Text smaller than this is not drawn. */
export const SMALLEST_FONT_CSS = 11;
/** Cells smaller than this are colour alone, without borders and marks. */
export const LEAST_BORDERED_CSS = 5;
/** Width of a character in sizes of its font. */
export const CHARACTER_PER_FONT = 0.58;
/** Share of a cell's side that its text may take. */
export const TEXT_PER_CELL = 0.92;
/** Where it is larger than the smallest, it leaves room to the texts beside it. */
const LARGE_TEXT_PER_CELL = 0.72;
/** The share that it takes where cells are made for it: texts of up to four characters are told apart, longer ones need more room. */
const COMFORTABLE_TEXT_PER_CELL = 0.84;
const ROOMY_TEXT_PER_CELL = 0.8;
const MOST_COMFORTABLE_CHARACTERS = 4;
/** The part of such a column that its text takes at least. */
export const TIGHT_COLUMN = COMFORTABLE_TEXT_PER_CELL / TEXT_PER_CELL;
const MOST_FONT_CSS = 20;
const READING_FONT_CSS = 11;
/** Of the height of a cell. */
const FONT_PER_CELL = 0.56;
const CELLS_CSS = 8;
const TEXTURE_CSS = 2;
/** Cells of the whole that are smaller are not told apart, and a part of so many times their size still shows much of it. */
const LEAST_SEEN_CSS = 1.5;
const MOST_SEEN = 4;
/** Two sizes within this factor are one step. */
const SAME = 1.02;
/** The most that a press of plus or minus changes the size of a cell, and below one pixel a cell. */
const MOST_FACTOR = 1.6;
const MOST_SMALL_FACTOR = 2.5;

/**
 * The font size at which so many characters fit into a cell.
 * @param {number} cell_css height of the cell
 * @param {number} characters
 * @param {number} [column_css] width of the cell
 * @returns {number}
 */
export function fontSizeFor(cell_css, characters, column_css = cell_css) {
  const whole_css = column_css / (Math.max(1, characters) * CHARACTER_PER_FONT);
  const wide_css = Math.max(whole_css * LARGE_TEXT_PER_CELL, Math.min(whole_css * TEXT_PER_CELL, SMALLEST_FONT_CSS));
  return Math.min(wide_css, cell_css * FONT_PER_CELL, MOST_FONT_CSS);
}

/**
 * @param {number} cell_css
 * @returns {number} characters of the longest text that such a cell shows
 */
export function charactersIn(cell_css) {
  return Math.floor((cell_css * TEXT_PER_CELL) / (SMALLEST_FONT_CSS * CHARACTER_PER_FONT));
}

/**
 * The cell size at which a text is comfortable to read.
 * @param {number} characters of the longest text
 * @returns {number} the largest size for a text that fits at none
 */
export function textCell(characters) {
  return Math.min(Math.max(Math.ceil(READING_FONT_CSS / FONT_PER_CELL), Math.ceil(textColumn(characters))), MOST_CELL_CSS);
}

/**
 * The cell to which one grows that is brought into view to be read.
 * @param {Pick<Viewport, 'cell_css' | 'column_css'>} viewport
 * @param {number} characters of the longest text
 * @returns {number} 0 where cells show their texts
 */
export function grownCell({ cell_css, column_css }, characters) {
  return fontSizeFor(cell_css, characters, column_css) >= SMALLEST_FONT_CSS ? 0 : textCell(characters);
}

/**
 * The least width of a column whose texts are told apart.
 * @param {number} characters of the longest text
 * @returns {number}
 */
export function textColumn(characters) {
  const part = characters > MOST_COMFORTABLE_CHARACTERS ? ROOMY_TEXT_PER_CELL : COMFORTABLE_TEXT_PER_CELL;
  return (Math.max(1, characters) * CHARACTER_PER_FONT * READING_FONT_CSS) / part;
}

/**
 * The cell size of each step of the zoom; null where the grid cannot be shown so.
 * @param {Viewport} viewport
 * @param {number} characters of the longest text of a cell
 * @returns {Record<ZoomStep, number | null>}
 */
export function zoomSteps(viewport, characters) {
  const all = fit(viewport).cell_css;
  /** @param {number} wished_css a size beside that of the whole grid is a step of its own */
  const beside = (wished_css) => {
    const next_css = isSame(wished_css, all) ? wished_css * MOST_FACTOR : wished_css;
    return changeViewport(viewport, { cell_css: next_css }).cell_css;
  };
  const text = beside(textCell(characters));
  const cells = beside(CELLS_CSS);
  const texture = beside(TEXTURE_CSS);
  return {
    text: fontSizeFor(text, characters) >= SMALLEST_FONT_CSS ? text : null,
    cells: fontSizeFor(cells, characters) < SMALLEST_FONT_CSS ? cells : null,
    texture: texture < LEAST_BORDERED_CSS && !isSame(texture, all) ? texture : null,
    all,
  };
}

/**
 * The step that shows the whole grid; where its cells would not be told apart, and little more shows them, a part of it.
 * @param {Record<ZoomStep, number | null>} steps
 * @returns {ZoomStep}
 */
export function fittingStep({ all, texture }) {
  return all !== null && texture !== null && all < LEAST_SEEN_CSS && texture <= MOST_SEEN * all ? 'texture' : 'all';
}

/**
 * The step that a view is at: all of the grid, fitted; else by the size of a cell.
 * @param {Viewport} viewport
 * @param {number} characters
 * @returns {ZoomStep}
 */
export function zoomStepOf(viewport, characters) {
  const { cell_css, column_css, columns, rows } = viewport;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const whole = firstColumn === 0 && firstRow === 0 && endColumn >= columns && endRow >= rows;
  if (whole && isSame(cell_css, fit(viewport).cell_css)) return 'all';
  if (fontSizeFor(cell_css, characters, column_css) >= SMALLEST_FONT_CSS) return 'text';
  return cell_css >= LEAST_BORDERED_CSS ? 'cells' : 'texture';
}

/**
 * The cell size after a press of plus or minus: the next step, or an even part of the way to it.
 * @param {Viewport} viewport
 * @param {'in' | 'out'} direction
 * @param {number} characters
 * @returns {number}
 */
export function nextZoom(viewport, direction, characters) {
  const { cell_css } = viewport;
  const least = changeViewport(viewport, { cell_css: Number.MIN_VALUE }).cell_css;
  const steps = Object.values(zoomSteps(viewport, characters)).flatMap((size) => size ?? []);
  const marks = [...new Set([least, ...steps, MOST_CELL_CSS])].sort((one, other) => one - other);
  const stops = marks.flatMap((mark, at) => (at === 0 ? [mark] : between(marks[at - 1], mark)));
  const next = direction === 'in'
    ? stops.find((stop) => stop > cell_css * SAME)
    : stops.findLast((stop) => stop < cell_css / SAME);
  return next ?? cell_css;
}

/**
 * @param {number} from
 * @param {number} to
 * @returns {number[]} sizes after `from` up to `to`, in even factors
 */
function between(from, to) {
  const most = to <= 1 ? MOST_SMALL_FACTOR : MOST_FACTOR;
  const count = Math.max(1, Math.ceil(Math.log(to / from) / Math.log(most) - 1e-6));
  return Array.from({ length: count }, (_, at) => (at + 1 === count ? to : from * (to / from) ** ((at + 1) / count)));
}

/**
 * @param {number} one
 * @param {number} other
 */
function isSame(one, other) {
  return one < other * SAME && other < one * SAME;
}
