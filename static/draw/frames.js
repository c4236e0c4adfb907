/** @import { Theme } from './types.js' */
/** @typedef {Pick<import('./types.js').Viewport, 'inset_left_css' | 'inset_top_css' | 'width_css' | 'height_css'>} Window */
/** @typedef {CanvasRenderingContext2D} Context */
import { LEAST_BORDERED_CSS, TEXT_PER_CELL } from '../core/grid/zoom.js';
import { LEAST_WRITTEN_CSS } from './marks.js';

const LEAST_RING_CSS = 9;
/** A text leaves this share of a cell free on each side, or more. */
const TEXT_MARGIN = (1 - TEXT_PER_CELL) / 2;
/** Half the length of the triangle that points at a cell outside the window. */
const BEYOND_CSS = 8;

/**
 * @param {Window} viewport
 * @param {import('../core/types.js').Place} place
 * @returns {boolean} whether the window shows some of a cell
 */
export function isSeen({ inset_left_css, inset_top_css, width_css, height_css }, { x_css, y_css, wide_css, size_css }) {
  return x_css + wide_css > inset_left_css && x_css < width_css && y_css + size_css > inset_top_css && y_css < height_css;
}

/**
 * @typedef {'selected' | 'hovered' | 'related' | 'cursor'} Emphasis
 */

/** Around a cell that is too small to see. */
const RING_RADIUS_CSS = 8;
/** How far a frame, or a ring with its lines, reaches beyond the cell, at most. */
export const FRAME_CSS = RING_RADIUS_CSS + 3;

/**
 * A frame around a cell, which leaves room for the cell's text; a ring where the cell is too small to see.
 * @param {Context} context
 * @param {import('../core/types.js').Place} place
 * @param {Theme} theme
 * @param {Emphasis} emphasis
 */
export function emphasise(context, { x_css, y_css, wide_css, size_css }, theme, emphasis) {
  const strong = emphasis === 'selected';
  const large = Math.min(1, Math.max(0, (size_css - LEAST_WRITTEN_CSS) / 30));
  const width = strong ? 1.6 + 1.4 * large : 1.2 + 0.3 * large;
  // A line of the background on both sides makes the frame visible on every colour. Neither covers a text.
  const casing = 0.7 + (strong ? 1.5 : 0.8) * large;
  const free_css = Math.max(0, size_css * TEXT_MARGIN - 0.5);
  const inner = Math.min(casing, free_css);
  const outer = Math.max(0.4, Math.min(casing, free_css + 1 - (width + casing - inner)));
  const [wide, high] = [wide_css, size_css].map((side) => Math.max(side - 1, LEAST_RING_CSS));
  const x = x_css + (wide_css - 1 - wide) / 2;
  const y = y_css + (size_css - 1 - high) / 2;
  /** @param {number} from_css @param {number} to_css beyond the cell's edge */
  function ring(from_css, to_css) {
    const middle = (from_css + to_css) / 2;
    context.beginPath();
    if (size_css < LEAST_BORDERED_CSS) context.arc(x + wide / 2, y + high / 2, (strong ? RING_RADIUS_CSS : RING_RADIUS_CSS - 2) + middle, 0, 2 * Math.PI);
    else context.rect(x - middle, y - middle, wide + 2 * middle, high + 2 * middle);
    context.lineWidth = to_css - from_css;
    context.stroke();
  }
  const from_css = casing - inner;
  context.setLineDash([]);
  context.strokeStyle = theme.background;
  ring(-inner, from_css + width + outer);
  if (emphasis === 'related' || emphasis === 'cursor') context.setLineDash([4, 3]);
  context.strokeStyle = strong ? theme.select : theme.hover;
  ring(from_css, from_css + width);
  context.setLineDash([]);
}

/**
 * A triangle at the edge of the window, in the direction of a cell that lies outside.
 * @param {Context} context
 * @param {Window} viewport
 * @param {import('../core/types.js').Place} place of the cell
 * @param {Theme} theme
 * @returns {boolean} false where the cell is in the window: nothing is drawn
 */
export function pointBeyond(context, viewport, { x_css, y_css, wide_css, size_css }, theme) {
  const { inset_left_css, inset_top_css, width_css, height_css } = viewport;
  const [cellX, cellY] = [x_css + wide_css / 2, y_css + size_css / 2];
  const margin = BEYOND_CSS + 3;
  const x = Math.max(inset_left_css + margin, Math.min(width_css - margin, cellX));
  const y = Math.max(inset_top_css + margin, Math.min(height_css - margin, cellY));
  if (cellX >= inset_left_css && cellX <= width_css && cellY >= inset_top_css && cellY <= height_css) return false;
  context.save();
  context.translate(x, y);
  context.rotate(Math.atan2(cellY - y, cellX - x));
  context.beginPath();
  context.moveTo(BEYOND_CSS, 0);
  context.lineTo(-BEYOND_CSS * 0.7, BEYOND_CSS * 0.8);
  context.lineTo(-BEYOND_CSS * 0.7, -BEYOND_CSS * 0.8);
  context.closePath();
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = theme.background;
  context.stroke();
  context.fillStyle = theme.select;
  context.fill();
  context.restore();
  return true;
}
