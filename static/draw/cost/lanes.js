/** @import { Theme, Viewport } from '../types.js' */
/** @import { Cell } from '../../core/types.js' */
import { rectOf } from '../../core/grid/viewport.js';
import { LEAST_BORDERED_CSS } from '../../core/grid/zoom.js';
import { isSeen } from '../frames.js';
import { insideCells } from '../marks.js';

/**
 * Frames inside the cells that the lanes of a warp access; dots where cells are small.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {readonly Cell[]} cells
 */
export function drawLanes(context, viewport, theme, cells) {
  insideCells(context, viewport, () => {
    for (const cell of cells) {
      const place = rectOf(viewport, cell);
      if (isSeen(viewport, place)) drawLane(context, place, theme);
    }
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('../../core/types.js').Place} place
 * @param {Theme} theme
 */
export function drawLane(context, { x_css, y_css, wide_css, size_css }, theme) {
  if (size_css < LEAST_BORDERED_CSS) {
    for (const [colour, radius_css] of /** @type {[string, number][]} */ ([[theme.background, 3], [theme.select, 2]])) {
      context.fillStyle = colour;
      context.fillRect(x_css + wide_css / 2 - radius_css, y_css + size_css / 2 - radius_css, 2 * radius_css, 2 * radius_css);
    }
    return;
  }
  const width_css = size_css < 36 ? 1.4 : 2.2;
  for (const [colour, line_css] of /** @type {[string, number][]} */ ([[theme.background, width_css + 0.8], [theme.select, width_css]])) {
    context.strokeStyle = colour;
    context.lineWidth = line_css;
    context.strokeRect(x_css + line_css / 2, y_css + line_css / 2, wide_css - 1 - line_css, size_css - 1 - line_css);
  }
}
