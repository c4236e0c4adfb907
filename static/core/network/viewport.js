/** @import { Scene } from './types.js' */
/** @typedef {{scale: number, x: number, y: number}} View a drawing's unit in CSS pixels, and where its origin is */
/** @typedef {{width: number, height: number}} Size */

export const MOST_SCALE = 2.5;
const LEAST_SCALE = 0.01;
const MARGIN = 12;
/** A scale at which names are read. */
const READABLE = 0.8;
const MOST_SPREAD = 1.6;
/** A window below this has room for one box beside another. */
const NARROW = 600;
/** Below FAR a box has no room for its shape in letters of 11 pixels, below FARTHEST none for its operator's name. */
export const FAR = 0.78;
export const FARTHEST = 0.48;

/**
 * The whole drawing in its window.
 * @param {Size} drawing in units
 * @param {Size} window in CSS pixels
 * @returns {View}
 */
export function fitted(drawing, window) {
  const scale = Math.min(
    1.15,
    (window.width - 2 * MARGIN) / Math.max(1, drawing.width),
    (window.height - 2 * MARGIN) / Math.max(1, drawing.height),
  );
  return middle(drawing, window, Math.max(LEAST_SCALE, scale));
}

/**
 * The middle of a drawing in that of its window; of a higher one the upper edge.
 * @param {Size} drawing in units
 * @param {Size} window in CSS pixels
 * @param {number} scale
 * @returns {View}
 */
function middle(drawing, window, scale) {
  return { scale, x: (window.width - drawing.width * scale) / 2, y: Math.max(MARGIN, (window.height - drawing.height * scale) / 2) };
}

/**
 * A drawing of which all is read, with its layers as far apart as a window that it leaves partly empty allows.
 * @param {Scene} scene
 * @param {Size} window in CSS pixels
 * @returns {Scene}
 */
export function spread(scene, window) {
  const { scale } = fitted(scene, window);
  const by = Math.min(MOST_SPREAD, (window.height - 2 * MARGIN) / (scene.height * scale));
  if (!(scale >= FARTHEST && by > 1)) return scene;
  const boxes = scene.boxes.map((box) => ({ ...box, y: box.y * by }));
  const lines = scene.lines.map((line) => ({ ...line, points: line.points.map(([x, y]) => /** @type {const} */ ([x, y * by])) }));
  return { ...scene, height: scene.height * by, boxes, lines };
}

/**
 * Whether one drawing can take the place of the other without a jump.
 * @param {Size} before
 * @param {Size} after
 */
export function near(before, after) {
  return Math.abs(before.width - after.width) < 1 && Math.abs(before.height - after.height) < 1;
}

/**
 * All of a drawing, or its beginning at the least scale at which operators are named; on a phone, where a finger presses
 * its boxes, at one at which they are read.
 * @param {Size} drawing in units
 * @param {{x: number, y: number}} first where it begins
 * @param {Size} window in CSS pixels
 * @returns {View}
 */
export function begun(drawing, first, window) {
  const whole = fitted(drawing, window);
  if (whole.scale >= FARTHEST) return whole;
  const { scale, x } = middle(drawing, window, window.width < NARROW ? READABLE : FARTHEST);
  const left = window.width / 2 - first.x * scale;
  return { scale, x: x >= MARGIN ? x : Math.min(left, MARGIN), y: MARGIN };
}

/**
 * @param {View} view
 * @param {number} factor
 * @param {number} x the point that stays, in CSS pixels
 * @param {number} y
 * @returns {View}
 */
export function zoomed(view, factor, x, y) {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, view.scale * factor));
  const by = scale / view.scale;
  return { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
}

/**
 * Moves as little as is needed to show a point, large enough to be read.
 * @param {View} view
 * @param {{x: number, y: number}} point in units
 * @param {Size} window
 * @returns {View}
 */
export function showing(view, point, window) {
  const scale = Math.max(view.scale, Math.min(READABLE, MOST_SCALE));
  const by = scale / view.scale;
  const middle = { x: window.width / 2, y: window.height / 2 };
  const x = by === 1 ? view.x : middle.x - point.x * scale;
  const y = by === 1 ? view.y : middle.y - point.y * scale;
  const room = { x: Math.min(110 * scale, middle.x), y: Math.min(60 * scale, middle.y) };
  const place = { x: point.x * scale + x, y: point.y * scale + y };
  const inside = {
    x: Math.min(Math.max(place.x, room.x), window.width - room.x),
    y: Math.min(Math.max(place.y, room.y), window.height - room.y),
  };
  return { scale, x: x + inside.x - place.x, y: y + inside.y - place.y };
}

/**
 * Keeps all of a drawing that fits in its window, and of a larger one as much as the window has room for.
 * @param {View} view
 * @param {Size} drawing
 * @param {Size} window
 * @returns {View}
 */
export function kept(view, drawing, window) {
  return { ...view, x: held(view.x, drawing.width * view.scale, window.width), y: held(view.y, drawing.height * view.scale, window.height) };
}

/**
 * @param {number} at where the drawing begins
 * @param {number} length of the drawing, in CSS pixels
 * @param {number} room of the window
 */
function held(at, length, room) {
  const last = room - length - MARGIN;
  return Math.min(Math.max(at, Math.min(last, MARGIN)), Math.max(last, MARGIN));
}

/**
 * Whether a finger that goes up or down moves the drawing: where the reader has zoomed and it is higher than its window.
 * Elsewhere it scrolls the page.
 * @param {View} view
 * @param {Size} drawing
 * @param {{x: number, y: number}} first where it begins
 * @param {Size} window
 */
export function panned({ scale }, drawing, first, window) {
  return scale !== begun(drawing, first, window).scale && drawing.height * scale > window.height;
}
