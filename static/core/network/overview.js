/** @import { View, Size } from './viewport.js' */

/** The room of the map, in CSS pixels: below the drawing, at the right. */
const ROOM = Object.freeze({ width: 160, height: 50 });

/**
 * The size of a small map of the whole drawing, and a unit of the drawing in it.
 * @param {Size} drawing in units
 * @returns {Size & {scale: number}} in CSS pixels
 */
export function mapSize({ width, height }) {
  const scale = Math.min(ROOM.width / Math.max(width, 1), ROOM.height / Math.max(height, 1));
  return { width: width * scale, height: height * scale, scale };
}

/**
 * The part of the drawing that the window shows.
 * @param {View} view
 * @param {Size} window
 * @param {Size} drawing
 * @returns {{x: number, y: number, width: number, height: number, whole: boolean}} in units; whole: all of it is seen
 */
export function seen(view, window, drawing) {
  const [left, right] = [-view.x / view.scale, (window.width - view.x) / view.scale];
  const [top, bottom] = [-view.y / view.scale, (window.height - view.y) / view.scale];
  const x = Math.max(0, left);
  const y = Math.max(0, top);
  const width = Math.max(0, Math.min(drawing.width, right) - x);
  const height = Math.max(0, Math.min(drawing.height, bottom) - y);
  return { x, y, width, height, whole: left <= 0 && top <= 0 && right >= drawing.width && bottom >= drawing.height };
}

/**
 * The view with a point of the drawing in the middle of the window.
 * @param {View} view
 * @param {{x: number, y: number}} point in units
 * @param {Size} window
 * @returns {View}
 */
export function centred(view, point, window) {
  return { ...view, x: window.width / 2 - point.x * view.scale, y: window.height / 2 - point.y * view.scale };
}
