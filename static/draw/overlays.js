/** @typedef {import('./types.js').Theme} Theme */
/** @typedef {import('./types.js').Viewport} Viewport */
/** @typedef {import('../core/types.js').Cell} Cell */
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { emphasise } from './frames.js';
import { insideCells } from './marks.js';

const LEAST_NUMBERED_CSS = 28;
const FONT_PER_CELL = 0.24;
const LEAST_FONT_CSS = 8;
const MOST_FONT_CSS = 12;
const CHARACTER_PER_FONT = 0.62;
const ARROW_CSS = 9;
const NEAR_EDGE = 0.86;

/**
 * Small numbers in the upper left corners of cells, where the cells are large enough.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {(cell: Cell) => number | null} numberOf null: no number
 */
export function drawNumbers(context, viewport, theme, numberOf) {
  const { cell_css } = viewport;
  if (cell_css < LEAST_NUMBERED_CSS) return;
  const font_css = Math.max(LEAST_FONT_CSS, Math.min(MOST_FONT_CSS, cell_css * FONT_PER_CELL));
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  insideCells(context, viewport, () => {
    context.font = `${font_css}px ${theme.font}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let row = firstRow; row < endRow; row += 1) {
      for (let column = firstColumn; column < endColumn; column += 1) {
        const number = numberOf({ column, row });
        if (number === null) continue;
        const text = String(number);
        const width_css = text.length * font_css * CHARACTER_PER_FONT + 4;
        if (width_css > cell_css - 2) continue;
        const { x_css, y_css } = rectOf(viewport, { column, row });
        context.fillStyle = theme.text;
        context.fillRect(x_css, y_css, width_css, font_css + 2);
        context.fillStyle = theme.background;
        context.fillText(text, x_css + width_css / 2, y_css + font_css / 2 + 1.5);
      }
    }
  });
}

/**
 * A dashed arrow from one cell to another, both framed. It keeps clear of their texts: from the lower edge
 * of a cell to the upper edge of one further down, along the lower edges in one row.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {Cell} from
 * @param {Cell} to
 */
export function drawJump(context, viewport, theme, from, to) {
  const [first, second] = [from, to].map((cell) => rectOf(viewport, cell));
  const down = Math.sign(to.row - from.row);
  const start = pointOf(first, down >= 0 ? NEAR_EDGE : 1 - NEAR_EDGE);
  const end = pointOf(second, down <= 0 ? NEAR_EDGE : 1 - NEAR_EDGE);
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
  insideCells(context, viewport, () => {
    for (const place of [first, second]) emphasise(context, place, theme, 'related');
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
  });
}

/**
 * @param {{x_css: number, y_css: number, size_css: number}} place
 * @param {number} share of the cell's height
 */
function pointOf({ x_css, y_css, size_css }, share) {
  return { x: x_css + (size_css - 1) / 2, y: y_css + (size_css - 1) * share };
}
