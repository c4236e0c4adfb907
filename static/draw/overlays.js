/** @typedef {CanvasRenderingContext2D} Context */
/** @import { Theme, Viewport } from './types.js' */
/** @import { Cell } from '../core/types.js' */
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { emphasise, isSeen } from './frames.js';
import { insideCells } from './marks.js';

/** In smaller cells a number would cover the text in the middle. */
const LEAST_NUMBERED_CSS = 35;
const FONT_PER_CELL = 0.24;
const LEAST_FONT_CSS = 8;
const MOST_FONT_CSS = 12;
const CHARACTER_PER_FONT = 0.62;
const ARROW_CSS = 9;
const NEAR_EDGE = 0.86;

/**
 * Small numbers in the upper left corners of cells, where the cells are large enough.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {(cell: Cell) => number | null} numberOf null: no number
 * @returns {boolean} whether there is a number
 */
export function drawNumbers(context, viewport, theme, numberOf) {
  const { cell_css } = viewport;
  if (cell_css < LEAST_NUMBERED_CSS) return false;
  let numbered = false;
  const font_css = Math.max(LEAST_FONT_CSS, Math.min(MOST_FONT_CSS, cell_css * FONT_PER_CELL));
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  insideCells(context, viewport, () => {
    for (let row = firstRow; row < endRow; row += 1) {
      for (let column = firstColumn; column < endColumn; column += 1) {
        const number = numberOf({ column, row });
        if (number === null) continue;
        const text = String(number);
        if (numberWidth(text, font_css) > cell_css - 2) continue;
        numbered = true;
        writeNumber(context, theme, rectOf(viewport, { column, row }), text, font_css);
      }
    }
  });
  return numbered;
}

/** @param {string} text @param {number} font_css */
function numberWidth(text, font_css) {
  return text.length * font_css * CHARACTER_PER_FONT + 4;
}

/**
 * @param {Context} context
 * @param {Theme} theme
 * @param {{x_css: number, y_css: number}} corner of the cell
 * @param {string} text
 * @param {number} [font_css]
 */
export function writeNumber(context, theme, { x_css, y_css }, text, font_css = LEAST_FONT_CSS) {
  const width_css = numberWidth(text, font_css);
  context.font = `${font_css}px ${theme.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = theme.text;
  context.fillRect(x_css, y_css, width_css, font_css + 2);
  context.fillStyle = theme.background;
  context.fillText(text, x_css + width_css / 2, y_css + font_css / 2 + 1.5);
}

/**
 * A dashed arrow from one cell to another, both framed. It keeps clear of their texts: from the lower edge
 * of a cell to the upper edge of one further down, along the lower edges in one row.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {Cell} from
 * @param {Cell} to
 * @returns {boolean} whether the window shows one of the cells
 */
export function drawJump(context, viewport, theme, from, to) {
  const [first, second] = [from, to].map((cell) => rectOf(viewport, cell));
  const down = Math.sign(to.row - from.row);
  const start = pointOf(first, down >= 0 ? NEAR_EDGE : 1 - NEAR_EDGE);
  const end = pointOf(second, down <= 0 ? NEAR_EDGE : 1 - NEAR_EDGE);
  insideCells(context, viewport, () => {
    for (const place of [first, second]) emphasise(context, place, theme, 'related');
    strokeArrow(context, theme, start, end);
  });
  return isSeen(viewport, first) || isSeen(viewport, second);
}

/**
 * @param {Context} context
 * @param {Theme} theme
 * @param {{x: number, y: number}} start
 * @param {{x: number, y: number}} end
 */
export function strokeArrow(context, theme, start, end) {
  const angle = Math.atan2(end.y - start.y, end.x - start.x);
  const path = new Path2D();
  path.moveTo(start.x, start.y);
  path.lineTo(end.x, end.y);
  const solid = new Path2D();
  solid.arc(start.x, start.y, 2, 0, 2 * Math.PI);
  for (const turn of [-0.5, 0.5]) {
    solid.moveTo(end.x, end.y);
    solid.lineTo(end.x - ARROW_CSS * Math.cos(angle + turn), end.y - ARROW_CSS * Math.sin(angle + turn));
  }
  // A broad line of the background makes the arrow visible on every colour.
  for (const [colour, width_css, dash] of /** @type {[string, number, number[]][]} */ ([
    [theme.background, 5, []],
    [theme.hover, 2, [5, 3]],
  ])) {
    context.strokeStyle = colour;
    context.lineWidth = width_css;
    context.setLineDash(dash);
    context.stroke(path);
    context.setLineDash([]);
    context.stroke(solid);
  }
}

/**
 * @param {import('../core/types.js').Place} place
 * @param {number} share of the cell's height
 */
function pointOf({ x_css, y_css, wide_css, size_css }, share) {
  return { x: x_css + (wide_css - 1) / 2, y: y_css + (size_css - 1) * share };
}
