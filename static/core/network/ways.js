/** @import { Box, Line } from './types.js' */

const HEAD = 7;
/** From a line to its label. */
const BESIDE = 6;
const ROUND = (/** @type {number} */ value) => Math.round(value * 10) / 10;

/**
 * The way of a line from the lower edge of its source to the upper edge of its target.
 * @param {Line} line
 * @param {Box} source
 * @param {Box} target
 * @returns {{d: string, head: string, label: [number, number]}} paths of SVG, and where a label begins
 */
export function wayOf({ points }, source, target) {
  const inner = points.slice(1, -1);
  const start = /** @type {const} */ ([source.x, source.y + source.height / 2]);
  const tip = /** @type {const} */ ([target.x, target.y - target.height / 2]);
  const end = /** @type {const} */ ([tip[0], tip[1] - HEAD + 1]);
  let d = `M${ROUND(start[0])} ${ROUND(start[1])}`;
  let before = start;
  for (const point of [...inner, end]) {
    d += piece(before, point);
    before = /** @type {typeof start} */ (point);
  }
  const head = `M${ROUND(tip[0])} ${ROUND(tip[1])}l-4 ${-HEAD}h8z`;
  // Beside the beginning of the line, where the lines of one tensor are still one; clear of a block's sheets.
  return { d, head, label: [ROUND(start[0] + BESIDE), ROUND(start[1] + (source.kind === 'fold' ? 20 : 14))] };
}

/** Of a letter of a label, in units: where all of a drawing is large enough to be read. */
const LETTER = 10;

/**
 * Which labels have no room beside their line, because another begins there at the same height.
 * @param {readonly {x: number, y: number, text: string}[]} labels
 * @returns {boolean[]} for each whether it stands lower
 */
export function crowded(labels) {
  return labels.map(({ x, y, text }) => labels.some((other) => Math.abs(other.y - y) < LETTER && other.x > x && other.x < x + LETTER * text.length));
}

/**
 * Downwards a curve that leaves and arrives vertically, else a straight line.
 * @param {readonly [number, number]} from
 * @param {readonly [number, number]} to
 */
function piece(from, to) {
  const fall = to[1] - from[1];
  if (fall <= 0 || Math.abs(to[0] - from[0]) < 0.5) return `L${ROUND(to[0])} ${ROUND(to[1])}`;
  const half = ROUND(from[1] + fall / 2);
  return `C${ROUND(from[0])} ${half} ${ROUND(to[0])} ${half} ${ROUND(to[0])} ${ROUND(to[1])}`;
}
