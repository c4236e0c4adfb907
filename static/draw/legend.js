/** @import { Painter, Sign } from './types.js' */
/** @typedef {CanvasRenderingContext2D} Context */
import { CATEGORIES, fromWord, SHADES, toCss, toWord, parseColour } from '../core/palette.js';
import { exactText } from '../core/numbers.js';
import { shortNumber } from './cell-text.js';
import { PADDING, UNDETERMINED } from '../core/layout/kinds.js';
import { emphasise, pointBeyond } from './frames.js';
import { createMarks, markLine, writeCells } from './marks.js';
import { strokeArrow, writeNumber } from './overlays.js';
import { inkFor } from './surface.js';
import { drawLane } from './cost/lanes.js';
import { drawTrace, strokeBow } from './walk/marks.js';

/** Side of a cell of the legend, and the room around it for a frame. */
const CELL_CSS = 15;
const ROOM_CSS = 3;
const RAMP_CSS = 132;
const RAMP_BAR_CSS = 9;
const RAMP_FONT_CSS = 9;

/**
 * @param {Painter} painter
 * @returns {number} categories on the scale of colours; 0 for a scale that runs from low to high
 */
export function categoriesOf({ plan, tensor, unit }) {
  if (unit) return CATEGORIES;
  const { scale, dim } = plan;
  if (scale !== 'categories' && scale !== 'flat' && scale !== 'picture') return 0;
  const present = Math.min(CATEGORIES, tensor.shape[dim]);
  // Along a broadcast dimension all elements have the colour of the first.
  const { firstAlong } = tensor;
  return firstAlong === null || firstAlong(dim, present - 1) > 0 ? present : 1;
}

/**
 * Room for a sign, or for the scale of colours.
 * @param {Painter} painter
 * @param {Sign | 'colour'} what
 * @returns {{width_css: number, height_css: number}}
 */
export function signSize(painter, what) {
  const cells = what === 'colour' ? categoriesOf(painter) : 1;
  return { width_css: (cells === 0 ? RAMP_CSS : cells * CELL_CSS) + 2 * ROOM_CSS, height_css: CELL_CSS + 2 * ROOM_CSS };
}

/**
 * Draws one sign of the grids as the grids draw it, over the whole canvas.
 * @param {Context} context its canvas measures signSize times pixelRatio
 * @param {Painter} painter of a tensor with elements
 * @param {Sign | 'colour'} what
 * @param {number} pixelRatio
 */
export function drawSign(context, painter, what, pixelRatio) {
  const { theme } = painter;
  const { width_css, height_css } = signSize(painter, what);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, width_css, height_css);
  if (what === 'colour') {
    drawScale(context, painter);
    return;
  }
  const place = { x_css: ROOM_CSS, y_css: ROOM_CSS, wide_css: CELL_CSS, size_css: CELL_CSS };
  const marks = createMarks(CELL_CSS);
  fillCell(context, marks, painter, ROOM_CSS, wordOfSign(painter, what));
  if (isMark(what)) marks[what](ROOM_CSS, ROOM_CSS);
  marks.paint(context, theme);
  marks.paintKept(context, theme);
  if (what === 'beyond') {
    const window = { inset_left_css: 0, inset_top_css: 0, width_css, height_css };
    pointBeyond(context, window, { ...place, x_css: width_css }, theme);
  }
  if (what === 'numbered') writeNumber(context, theme, place, '1');
  if (what === 'jump') {
    const middle = height_css / 2;
    strokeArrow(context, theme, { x: 2, y: middle }, { x: width_css - 2, y: middle });
  }
  if (what === 'leap') strokeBow(context, theme, { x: 2, y: height_css - 6 }, { x: width_css / 2, y: -2 }, { x: width_css - 4, y: height_css - 5 });
  if (what === 'edge') {
    context.fillStyle = theme.text;
    context.fillRect(ROOM_CSS - 1.5, ROOM_CSS - 1, 2, CELL_CSS);
  }
  if (what === 'lane') {
    drawLane(context, place, theme);
    writeNumber(context, theme, place, '0');
  }
  if (what === 'trail') drawTrace(context, place, theme, 0.6);
  if (what === 'line') {
    context.fillStyle = theme.text;
    markLine(context, place, 0);
  }
  if (what === 'selected' || what === 'related' || what === 'hovered') emphasise(context, place, theme, what);
}

/**
 * @param {Sign} what
 * @returns {what is 'padding' | 'gap' | 'shared' | 'kept' | 'undetermined'}
 */
function isMark(what) {
  return ['padding', 'gap', 'shared', 'kept', 'undetermined'].includes(what);
}

/**
 * @param {Painter} painter
 * @param {Sign} what
 * @returns {number} word of the cell below the sign
 */
function wordOfSign({ palette, vacantWord, theme, faded }, what) {
  if (what === 'gap' || what === 'beyond' || what === 'jump' || what === 'leap') return toWord(parseColour(theme.background));
  if (what === 'padding') return vacantWord(PADDING, 0, false);
  if (what === 'undetermined') return vacantWord(UNDETERMINED, 0, false);
  return palette[(what === 'faded' || what === 'unviewed' ? faded : 0) + (SHADES >> 1)];
}

/**
 * @param {Context} context
 * @param {ReturnType<typeof createMarks>} marks
 * @param {Painter} painter
 * @param {number} x_css
 * @param {number} word
 */
function fillCell(context, marks, painter, x_css, word) {
  context.fillStyle = toCss(fromWord(word));
  context.fillRect(x_css, ROOM_CSS, CELL_CSS - 1, CELL_CSS - 1);
  const outline = painter.outline(word);
  const vacant = word === toWord(parseColour(painter.theme.background));
  if (outline !== null && !vacant) marks.outline(x_css, ROOM_CSS, outline);
}

/**
 * A scale from low to high: a bar over ticks with their numbers, as many as have room.
 * @param {Context} context
 * @param {Painter} painter
 */
function drawRamp(context, { palette, theme, plan }) {
  for (let x = 0; x < RAMP_CSS; x += 1) {
    context.fillStyle = toCss(fromWord(palette[Math.floor((x * SHADES) / RAMP_CSS)]));
    context.fillRect(ROOM_CSS + x, 1, 1, RAMP_BAR_CSS);
  }
  context.fillStyle = theme.text;
  context.font = `${RAMP_FONT_CSS}px ${theme.font}`;
  context.textBaseline = 'alphabetic';
  const texts = rampTexts(plan);
  texts.forEach((text, at) => {
    const share = texts.length > 1 ? at / (texts.length - 1) : 0;
    const x_css = ROOM_CSS + share * (RAMP_CSS - 1);
    context.fillRect(x_css, 1, 1, RAMP_BAR_CSS + 2);
    context.textAlign = share === 0 ? 'left' : share === 1 ? 'right' : 'center';
    context.fillText(text, x_css, CELL_CSS + 2 * ROOM_CSS - 1);
  });
}

/**
 * The numbers at the ticks of a scale from low to high.
 * @param {Painter['plan']} plan
 * @returns {string[]} of both ends, and of the middle where there is room; one where all are the same
 */
export function rampTexts({ range }) {
  if (!range) return [];
  const [low, high] = range;
  if (low === high) return [exactText(shortNumber(low))];
  const texts = [low, (low + high) / 2, high].map((value) => exactText(shortNumber(value)));
  const long_css = Math.max(...texts.map(({ length }) => length)) * RAMP_FONT_CSS * 0.61;
  return 3 * long_css + 8 <= RAMP_CSS ? texts : [texts[0], texts[2]];
}

/**
 * The categories with their indices, or a ramp.
 * @param {Context} context
 * @param {Painter} painter
 */
function drawScale(context, painter) {
  const { palette, theme } = painter;
  const cells = categoriesOf(painter);
  if (cells === 0) {
    drawRamp(context, painter);
    return;
  }
  const marks = createMarks(CELL_CSS);
  /** @type {import('./marks.js').Label[]} */
  const labels = [];
  const middle_css = (CELL_CSS - 1) / 2;
  for (let cell = 0; cell < cells; cell += 1) {
    const x_css = ROOM_CSS + cell * CELL_CSS;
    const word = palette[cell * SHADES + (SHADES >> 1)];
    fillCell(context, marks, painter, x_css, word);
    labels.push({ text: String(cell), x_css: x_css + middle_css, y_css: ROOM_CSS + middle_css, ink: inkFor(word) });
  }
  marks.paint(context, theme);
  writeCells(context, labels, { cell_css: 22, column_css: 22 }, theme);
}
