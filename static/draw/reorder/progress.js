/** @import { Painter, Theme, Viewport } from '../types.js' */
/** @import { Row } from '../../core/schedule/rows.js' */
import { luminance, parseColour, toWord } from '../../core/palette.js';
import { NEVER } from '../../core/schedule/inverse.js';
import { lineState } from '../../core/schedule/rows.js';
import { rectOf, visibleRange } from '../../core/grid/viewport.js';
import { hatchOf, insideCells, writeCells } from '../marks.js';

/** How much of a cell of A is covered when it has been read, and by which grey under dark and under light ink. */
export const READ_ALPHA = 0.68;
const READ_GREYS = Object.freeze({ dark: toRead('#9a9ea3'), light: toRead('#555a60') });
const LEAST_FRAMED_CSS = 9;
/** Of the frame around a cell that waits, over the ground. */
const FRAME_ALPHA = 0.45;
const LEAST_WRITTEN_CSS = 12;
const LEAST_BOXED_CSS = 8;

/** @type {WeakMap<CanvasRenderingContext2D, {canvas: OffscreenCanvas, context: OffscreenCanvasRenderingContext2D}>} */
const veils = new WeakMap();
/** @type {WeakMap<Painter, (address: number) => {text: string, ink: string}>} */
const texts = new WeakMap();

/**
 * A grey that leaves the ink of a cell as it is: ink belongs to the category, and never flips.
 * @param {string} ink
 * @returns {number} a word of an ImageData
 */
export function coverUnder(ink) {
  return luminance(parseColour(ink)) > 0.5 ? READ_GREYS.light : READ_GREYS.dark;
}

/** @param {string} css */
function toRead(css) {
  return ((toWord(parseColour(css)) & 0xffffff) | (Math.round(READ_ALPHA * 255) << 24)) >>> 0;
}

/**
 * @param {Painter} painter
 * @returns {(address: number) => {text: string, ink: string}} the texts of its cells, each made once
 */
export function textsOf(painter) {
  const made = texts.get(painter);
  if (made) return made;
  const textOf = painter.textOf('auto', null);
  /** @type {Map<number, {text: string, ink: string}>} */
  const known = new Map();
  const written = (/** @type {number} */ address) => {
    const kept = known.get(address);
    if (kept) return kept;
    const coords = painter.tensor.ownerOf(address).coords ?? [];
    const cell = { text: textOf(coords), ink: painter.cell(coords).ink };
    known.set(address, cell);
    return cell;
  };
  texts.set(painter, written);
  return written;
}

/**
 * Which rows stand at which pixels: each visible row, or one row for each device pixel where rows are smaller.
 * @param {Viewport} viewport
 * @param {number} pixelRatio
 * @returns {{firstRow: number, step: number, count: number, y_css: number, high_css: number}}
 */
function rowsOf(viewport, pixelRatio) {
  const { row_css, top_cells, inset_top_css, height_css, rows } = viewport;
  if (row_css * pixelRatio >= 1) {
    const { firstRow, endRow } = visibleRange(viewport);
    const y_css = inset_top_css + (firstRow - top_cells) * row_css;
    return { firstRow, step: 1, count: Math.max(0, endRow - firstRow), y_css, high_css: row_css };
  }
  const step = 1 / (row_css * pixelRatio);
  const pixels = Math.ceil((height_css - inset_top_css) * pixelRatio);
  const count = Math.max(0, Math.min(pixels, Math.ceil((rows - top_cells) / step)));
  return { firstRow: top_cells, step, count, y_css: inset_top_css, high_css: 1 / pixelRatio };
}

/**
 * Covers what is not there yet: in B each address that no step has written, an empty frame; in A, with grey, what has been
 * read already, whose texts are written again in their own ink.
 * @param {CanvasRenderingContext2D} context
 * @param {{viewport: Viewport, theme: Theme, side: 'a' | 'b', rowAt: (row: number) => Row, rowLength_elems: number, done: number, pixelRatio: number,
 *   writtenAt: (address: number) => {text: string, ink: string}}} scene
 */
export function drawProgress(context, { viewport, theme, side, rowAt, rowLength_elems, done, pixelRatio, writtenAt }) {
  const { firstColumn, endColumn } = visibleRange(viewport);
  const columns = Math.min(endColumn, rowLength_elems) - firstColumn;
  const { firstRow, step, count, y_css, high_css } = rowsOf(viewport, pixelRatio);
  if (columns <= 0 || count <= 0) return;
  const veil = veilOf(context, columns, count);
  const image = veil.context.createImageData(columns, count);
  const words = new Uint32Array(image.data.buffer);
  const cover = side === 'b' ? toWord(parseColour(theme.background)) : READ_GREYS.light;
  const frames = new Path2D();
  const framed = side === 'b' && viewport.cell_css >= LEAST_FRAMED_CSS;
  const written = side === 'a' && viewport.cell_css >= LEAST_WRITTEN_CSS;
  /** @type {import('../marks.js').Label[]} */
  const labels = [];
  for (let y = 0; y < count; y += 1) {
    const row = Math.floor(firstRow + y * step);
    const { steps, first, last } = rowAt(row);
    if (side === 'b' ? last <= done : first > done) continue;
    for (let column = 0; column < columns; column += 1) {
      const at = steps[firstColumn + column];
      if (at === NEVER || (side === 'b' ? at <= done : at > done)) continue;
      words[y * columns + column] = cover;
      if (framed) frame(frames, viewport, firstColumn + column, row);
      if (!written) continue;
      const { text, ink } = writtenAt(row * rowLength_elems + firstColumn + column);
      words[y * columns + column] = coverUnder(ink);
      labels.push(labelAt(viewport, firstColumn + column, row, text, ink));
    }
  }
  veil.context.putImageData(image, 0, 0);
  insideCells(context, viewport, () => {
    context.imageSmoothingEnabled = false;
    const x_css = viewport.inset_left_css + (firstColumn - viewport.left_cells) * viewport.column_css;
    context.drawImage(veil.canvas, 0, 0, columns, count, x_css, y_css, columns * viewport.column_css, count * high_css);
    context.globalAlpha = FRAME_ALPHA;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.stroke(frames);
    context.globalAlpha = 1;
    writeCells(context, labels, viewport, theme);
  });
}

/**
 * @param {Viewport} viewport
 * @param {number} column
 * @param {number} row
 * @param {string} text
 * @param {string} ink
 */
function labelAt(viewport, column, row, text, ink) {
  const { x_css, y_css, size_css } = rectOf(viewport, { column, row });
  const centre = (size_css - 1) / 2;
  return { text, x_css: x_css + centre, y_css: y_css + centre, ink };
}

/**
 * An empty cell, which waits for its element.
 * @param {Path2D} frames
 * @param {Viewport} viewport
 * @param {number} column
 * @param {number} row
 */
function frame(frames, viewport, column, row) {
  const { x_css, y_css, size_css } = rectOf(viewport, { column, row });
  frames.rect(x_css + 1, y_css + 1, size_css - 3, size_css - 3);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} columns
 * @param {number} rows
 */
function veilOf(context, columns, rows) {
  const known = veils.get(context);
  if (known && known.canvas.width >= columns && known.canvas.height >= rows) return known;
  const canvas = new OffscreenCanvas(columns, rows);
  const own = canvas.getContext('2d');
  if (!own) throw new Error('this browser gives no 2d canvas');
  const veil = { canvas, context: own };
  veils.set(context, veil);
  return veil;
}

/**
 * The view of a grid whose rows are as high as several of another's.
 * @param {Viewport} viewport of that other
 * @param {number} parts how many
 * @returns {Viewport}
 */
export function inParts(viewport, parts) {
  const { row_css, top_cells, rows } = viewport;
  return { ...viewport, row_css: row_css * parts, top_cells: top_cells / parts, rows: Math.ceil(rows / parts) };
}

/**
 * The rail of cache lines beside a grid: an empty box for a line that no step has touched, one half
 * filled for an open line, a full one for a line that no later step touches.
 * @param {CanvasRenderingContext2D} context
 * @param {{viewport: Viewport, width_css: number, theme: Theme, rowAt: (row: number) => Row, done: number, now: readonly [number, number] | null, pixelRatio: number}} scene
 *   now: first and last row that the present step touches
 */
export function drawRail(context, { viewport, width_css, theme, rowAt, done, now, pixelRatio }) {
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width_css, viewport.height_css);
  const { firstRow, step, count, y_css, high_css } = rowsOf(viewport, pixelRatio);
  context.save();
  context.beginPath();
  context.rect(0, viewport.inset_top_css, width_css, viewport.height_css);
  context.clip();
  const boxed = high_css >= LEAST_BOXED_CSS;
  const hatch = boxed ? '' : hatchOf(context, theme.text);
  for (let y = 0; y < count; y += 1) {
    const row = Math.floor(firstRow + y * step);
    const state = lineState(rowAt(row), done);
    const top_css = y_css + y * high_css;
    const isNow = now !== null && row >= now[0] && row <= now[1];
    if (boxed) drawBox(context, state, isNow, { top_css, high_css, width_css, theme });
    else drawStrip(context, state, isNow, { top_css, high_css, width_css, theme, hatch });
  }
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../core/schedule/rows.js').LineState} state
 * @param {boolean} isNow
 * @param {{top_css: number, high_css: number, width_css: number, theme: Theme}} place
 */
function drawBox(context, state, isNow, { top_css, high_css, width_css, theme }) {
  const side = Math.min(width_css - 9, Math.max(high_css - 4, 5), 14);
  const x = Math.round(width_css - side - 2) + 0.5;
  const y = Math.round(top_css + (high_css - 1 - side) / 2) + 0.5;
  lineBox(context, state, x, y, side, theme);
  if (isNow) pointAt(context, theme, y + side / 2);
}

/**
 * A small triangle that points at a line.
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {number} middle_css
 */
function pointAt(context, theme, middle_css) {
  context.fillStyle = theme.hover;
  context.beginPath();
  context.moveTo(1, middle_css - 4);
  context.lineTo(6, middle_css);
  context.lineTo(1, middle_css + 4);
  context.closePath();
  context.fill();
}

/**
 * The sign of one line; a legend draws it too.
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../core/schedule/rows.js').LineState} state
 * @param {number} x
 * @param {number} y
 * @param {number} side
 * @param {Theme} theme
 */
export function lineBox(context, state, x, y, side, theme) {
  context.lineWidth = 1;
  context.strokeStyle = state === 'never' ? theme.line : theme.text;
  context.setLineDash(state === 'never' ? [1, 2] : []);
  context.strokeRect(x, y, side, side);
  context.setLineDash([]);
  context.fillStyle = theme.text;
  if (state === 'full') context.fillRect(x, y, side, side);
  if (state !== 'open') return;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x, y + side);
  context.lineTo(x + side, y + side);
  context.closePath();
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../core/schedule/rows.js').LineState} state
 * @param {boolean} isNow
 * @param {{top_css: number, high_css: number, width_css: number, theme: Theme, hatch: CanvasPattern | string}} place
 */
function drawStrip(context, state, isNow, { top_css, high_css, width_css, theme, hatch }) {
  context.fillStyle = state === 'open' ? hatch : theme.text;
  if (state === 'open' || state === 'full') context.fillRect(width_css - 11, top_css, 9, high_css);
  context.fillStyle = theme.line;
  context.fillRect(width_css - 12, top_css, 1, high_css);
  if (isNow) pointAt(context, theme, top_css + high_css / 2);
}
