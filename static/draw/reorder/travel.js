/** @import { Theme } from '../types.js' */

const HEAD_CSS = 8;
/** Side of a unit on its way: a part of a cell, between these. */
const LEAST_UNIT_CSS = 6;
const MOST_UNIT_CSS = 10;
/** A row as low as this has no line free of the text of its address. */
const LEAST_LABELLED_CSS = 14;

/**
 * Some neighbours of one row: where they lie in A (null for zeros) and in B, in the pixels of the whole
 * picture, and the fills and texts of their cells.
 * @typedef {object} Piece
 * @property {{x: number, y: number} | null} from
 * @property {{x: number, y: number}} to
 * @property {number} count
 * @property {number} fromSide
 * @property {number} toSide
 * @property {readonly {fill: string, ink: string, text: string}[]} cells
 */

/**
 * Neighbours of one row of one memory.
 * @typedef {{x: number, y: number, count: number, side: number}} Run
 */

/**
 * The free line between both memories, upright or level; where it is upright, also where B begins.
 * @typedef {{x: number, end: number} | {y: number}} Between
 */

/**
 * The units of the present step on their way from A to B. At rest, an arrow shows the way.
 * @param {CanvasRenderingContext2D} context
 * @param {{pieces: readonly Piece[], read: readonly Run[], written: readonly Run[], part: number, theme: Theme, between: Between, width_css: number, height_css: number, pixelRatio: number}} scene
 */
export function drawTravel(context, { pieces, read, written, part, theme, between, width_css, height_css, pixelRatio }) {
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, width_css, height_css);
  for (const run of read) frameRun(context, theme, run, true);
  for (const run of written) frameRun(context, theme, run, false);
  const [lead] = pieces;
  if (!lead) return;
  if (lead.from) strokeWay(context, theme, wayOf(lead, lead.from, between));
  if (part >= 1) return;
  const eased = part * part * (3 - 2 * part);
  for (const piece of pieces) drawUnits(context, theme, piece, between, eased);
}

/**
 * The way from one run to the other, along the lines between cells, so that it covers no text: to the row of B alone,
 * where rows are too low for that.
 * @param {Piece} piece
 * @param {{x: number, y: number}} from
 * @param {Between} between
 * @returns {readonly {x: number, y: number}[]}
 */
export function wayOf({ to, count, fromSide, toSide }, from, between) {
  if ('x' in between) {
    const start = { x: from.x + count * fromSide + 1, y: from.y + fromSide - 0.5 };
    const end = toSide < LEAST_LABELLED_CSS ? { x: between.end - 3, y: to.y + toSide / 2 } : { x: to.x - 3, y: to.y + toSide - 0.5 };
    return [start, { x: between.x, y: start.y }, { x: between.x, y: end.y }, end];
  }
  const start = { x: from.x + count * fromSide - 0.5, y: from.y + fromSide + 1 };
  const end = { x: to.x + count * toSide - 0.5, y: to.y - 3 };
  return [start, { x: start.x, y: between.y }, { x: end.x, y: between.y }, end];
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {readonly {x: number, y: number}[]} way
 */
function strokeWay(context, theme, way) {
  const end = way[way.length - 1];
  const before = way[way.length - 2];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const line = new Path2D();
  for (const { x, y } of way) line.lineTo(x, y);
  const head = new Path2D();
  head.moveTo(end.x, end.y);
  for (const turn of [-0.45, 0.45]) head.lineTo(end.x - HEAD_CSS * Math.cos(angle + turn), end.y - HEAD_CSS * Math.sin(angle + turn));
  head.closePath();
  context.lineJoin = 'round';
  context.setLineDash([]);
  for (const [colour, width_css] of /** @type {const} */ ([[theme.background, 4.5], [theme.hover, 1.8]])) {
    context.strokeStyle = colour;
    context.lineWidth = width_css;
    context.stroke(line);
    if (colour === theme.background) context.stroke(head);
  }
  context.fillStyle = theme.hover;
  context.fill(head);
}

/**
 * One frame around neighbours that move together.
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {Run} run
 * @param {boolean} dashed
 */
function frameRun(context, theme, { x, y, count, side }, dashed) {
  const wide = count * side - 1;
  const high = side - 1;
  for (const [colour, line, dash] of /** @type {[string, number, number[]][]} */ ([
    [theme.background, 5, []],
    [dashed ? theme.hover : theme.select, 2.2, dashed ? [5, 3] : []],
  ])) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.setLineDash(dash);
    context.beginPath();
    context.roundRect(x - 1.5, y - 1.5, wide + 3, high + 3, 2);
    context.stroke();
  }
  context.setLineDash([]);
}

/**
 * The units on their way: a square each, small enough for the lines between cells, so that no text is covered.
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {Piece} piece
 * @param {Between} between
 * @param {number} part
 */
function drawUnits(context, theme, piece, between, part) {
  if (!piece.from) return;
  const { x, y } = pointOn(wayOf(piece, piece.from, between), part);
  const side = Math.max(LEAST_UNIT_CSS, Math.min(MOST_UNIT_CSS, piece.toSide / 3));
  const wide = piece.cells.length * side;
  context.fillStyle = theme.background;
  context.fillRect(x - wide / 2 - 2.5, y - side / 2 - 2.5, wide + 5, side + 5);
  context.strokeStyle = theme.select;
  context.lineWidth = 1.5;
  context.strokeRect(x - wide / 2 - 1.5, y - side / 2 - 1.5, wide + 3, side + 3);
  for (const [at, { fill }] of piece.cells.entries()) {
    context.fillStyle = fill;
    context.fillRect(x - wide / 2 + at * side, y - side / 2, side, side);
  }
}

/**
 * @param {readonly {x: number, y: number}[]} way of level and upright lines
 * @param {number} part of its length
 * @returns {{x: number, y: number}}
 */
function pointOn(way, part) {
  const lengths = way.slice(1).map(({ x, y }, at) => Math.hypot(x - way[at].x, y - way[at].y));
  let left = part * lengths.reduce((sum, length) => sum + length, 0);
  for (const [at, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      const [from, to] = [way[at], way[at + 1]];
      return { x: from.x + ((to.x - from.x) * left) / length, y: from.y + ((to.y - from.y) * left) / length };
    }
    left -= length;
  }
  return way[way.length - 1];
}
