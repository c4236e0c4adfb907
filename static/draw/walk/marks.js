/** @typedef {CanvasRenderingContext2D} Context */
/** @import { Sign, Theme, Viewport } from '../types.js' */
/** @import { Cell, Place } from '../../core/types.js' */
import { rectOf } from '../../core/grid/viewport.js';
import { LEAST_BORDERED_CSS } from '../../core/grid/zoom.js';
import { emphasise, FRAME_CSS, isSeen, pointBeyond } from '../frames.js';
import { insideCells } from '../marks.js';
import { writeNumber } from '../overlays.js';

/** Beyond this, the start of a jump is outside every window: the arrow begins nearer, in the same direction. */
const MOST_ARROW_CSS = 4000;
const HEAD_CSS = 9;
const MOST_BEND_CSS = 26;
const LEAST_BEND_CSS = 9;
const LABEL_FONT_CSS = 11;

/**
 * @typedef {object} WalkMarks
 * @property {readonly (Cell | null)[]} trail the cells of the last steps, the last first; null: not in this grid
 * @property {number} most how many steps the trail can have
 * @property {Cell | null} now
 * @property {string | null} jump how far the last step jumped; empty: no text; null: it did not
 */

/**
 * What a walk leaves on the cells: frames around the last cells, thinner the longer ago; an arrow over a jump;
 * a strong frame around the cell of now.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {WalkMarks} marks
 * @param {Set<Sign>} seen
 */
export function drawWalk(context, viewport, theme, { trail, most, now, jump }, seen) {
  const places = trail.map((cell) => cell && rectOf(viewport, cell));
  const here = now && rectOf(viewport, now);
  insideCells(context, viewport, () => {
    // The oldest first: where a cell was met twice, the newer frame lies on top.
    for (let at = places.length - 1; at >= 0; at -= 1) {
      const place = places[at];
      if (!place || !isSeen(viewport, place)) continue;
      drawTrace(context, place, theme, 1 - at / most);
      seen.add('trail');
    }
  });
  insideCells(
    context,
    viewport,
    () => {
      if (!here) return;
      const before = places[0];
      if (before && jump !== null && (isSeen(viewport, before) || isSeen(viewport, here))) {
        drawJump(context, theme, before, here, jump);
        seen.add('leap');
      }
      if (isSeen(viewport, here)) drawNow(context, here, theme);
      seen.add(pointBeyond(context, viewport, here, theme) ? 'beyond' : 'selected');
    },
    FRAME_CSS,
  );
}

/**
 * The trace of one step: a frame within the cell, a dot where cells are small.
 * @param {Context} context
 * @param {Place} place
 * @param {Theme} theme
 * @param {number} strength from 1, just now, to 0
 */
export function drawTrace(context, { x_css, y_css, wide_css, size_css }, theme, strength) {
  context.globalAlpha = 0.3 + 0.7 * strength;
  if (size_css < LEAST_BORDERED_CSS) {
    const radius = 1 + 2.4 * strength;
    const [x, y] = [x_css + wide_css / 2, y_css + size_css / 2];
    for (const [colour, beyond_css] of /** @type {[string, number][]} */ ([[theme.background, 1], [theme.select, 0]])) {
      context.fillStyle = colour;
      context.fillRect(x - radius - beyond_css, y - radius - beyond_css, 2 * (radius + beyond_css), 2 * (radius + beyond_css));
    }
  } else {
    const width = Math.max(0.7, Math.min(2.4, size_css * 0.09) * strength);
    for (const [colour, line_css] of /** @type {[string, number][]} */ ([[theme.background, width + 0.9], [theme.select, width]])) {
      context.strokeStyle = colour;
      context.lineWidth = line_css;
      context.strokeRect(x_css + line_css / 2, y_css + line_css / 2, wide_css - 1 - line_css, size_css - 1 - line_css);
    }
  }
  context.globalAlpha = 1;
}

/**
 * The cell of now: the frame of a chosen cell, with a second, broader one around it.
 * @param {Context} context
 * @param {Place} place
 * @param {Theme} theme
 */
function drawNow(context, place, theme) {
  const { x_css, y_css, wide_css, size_css } = place;
  if (size_css >= LEAST_BORDERED_CSS) {
    for (const [colour, beyond_css, line_css] of /** @type {[string, number, number][]} */ ([[theme.background, 4.2, 2.5], [theme.hover, 3, 2.6]])) {
      context.strokeStyle = colour;
      context.lineWidth = line_css;
      context.strokeRect(x_css - beyond_css, y_css - beyond_css, wide_css - 1 + 2 * beyond_css, size_css - 1 + 2 * beyond_css);
    }
  }
  emphasise(context, place, theme, 'selected');
}

/**
 * @param {Context} context
 * @param {Theme} theme
 * @param {Place} from
 * @param {Place} to
 * @param {string} text
 */
function drawJump(context, theme, from, to, text) {
  const end = middleOf(to);
  const start = nearer(middleOf(from), end);
  const { bend, foot, tip } = bow(start, end, to.size_css / 2);
  strokeBow(context, theme, foot, bend, tip);
  if (text === '') return;
  const half = (text.length * LABEL_FONT_CSS * 0.62 + 4) / 2;
  // On the bow's middle, which lies half way to its bend.
  const x = (foot.x + tip.x) / 4 + bend.x / 2;
  const y = (foot.y + tip.y) / 4 + bend.y / 2;
  writeNumber(context, theme, { x_css: x - half, y_css: y - LABEL_FONT_CSS / 2 - 1 }, text, LABEL_FONT_CSS);
}

/**
 * @param {{x: number, y: number}} start
 * @param {{x: number, y: number}} end
 * @param {number} room_css around the end, which the arrow leaves free
 */
function bow(start, end, room_css) {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.max(1, Math.hypot(dx, dy));
  const rise = Math.min(MOST_BEND_CSS, Math.max(LEAST_BEND_CSS, length * 0.22)) * (dx < 0 ? -1 : 1);
  // To the left of its way, so above an arrow to the right; there and back do not cover each other.
  const bend = { x: (start.x + end.x) / 2 + (dy / length) * 2 * rise, y: (start.y + end.y) / 2 - (dx / length) * 2 * rise };
  const free = Math.min(room_css, length / 3);
  const back = Math.max(1, Math.hypot(bend.x - end.x, bend.y - end.y));
  const out = Math.max(1, Math.hypot(bend.x - start.x, bend.y - start.y));
  return {
    bend,
    tip: { x: end.x + ((bend.x - end.x) / back) * free, y: end.y + ((bend.y - end.y) / back) * free },
    foot: { x: start.x + ((bend.x - start.x) / out) * free, y: start.y + ((bend.y - start.y) / out) * free },
  };
}

/**
 * @param {Context} context
 * @param {Theme} theme
 * @param {{x: number, y: number}} foot
 * @param {{x: number, y: number}} bend
 * @param {{x: number, y: number}} tip
 */
export function strokeBow(context, theme, foot, bend, tip) {
  const angle = Math.atan2(tip.y - bend.y, tip.x - bend.x);
  const path = new Path2D();
  path.moveTo(foot.x, foot.y);
  path.quadraticCurveTo(bend.x, bend.y, tip.x, tip.y);
  for (const turn of [-0.5, 0.5]) {
    path.moveTo(tip.x, tip.y);
    path.lineTo(tip.x - HEAD_CSS * Math.cos(angle + turn), tip.y - HEAD_CSS * Math.sin(angle + turn));
  }
  context.setLineDash([]);
  for (const [colour, width_css] of /** @type {[string, number][]} */ ([[theme.background, 5], [theme.hover, 2.2]])) {
    context.strokeStyle = colour;
    context.lineWidth = width_css;
    context.stroke(path);
  }
}

/** @param {Place} place */
function middleOf({ x_css, y_css, wide_css, size_css }) {
  return { x: x_css + (wide_css - 1) / 2, y: y_css + (size_css - 1) / 2 };
}

/**
 * @param {{x: number, y: number}} start
 * @param {{x: number, y: number}} end
 */
function nearer(start, end) {
  const share = MOST_ARROW_CSS / Math.max(MOST_ARROW_CSS, Math.hypot(start.x - end.x, start.y - end.y));
  return { x: end.x + (start.x - end.x) * share, y: end.y + (start.y - end.y) * share };
}
