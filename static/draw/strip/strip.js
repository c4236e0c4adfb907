/** @import { Theme } from '../types.js' */
/** @import { Bands, Seen } from '../../core/strip/line.js' */
import { labelStep } from '../marks.js';

/** From the top: signs of cells, the colours of the memory, what a slice touches, names of the outermost loop and what the colours say. */
export const STRIP = Object.freeze({ height_css: 38, body_css: 9, bodyHigh_css: 13, touched_css: 23, text_css: 32 });
const FONT_CSS = 11;
const CHARACTER_CSS = FONT_CSS * 0.61;
/** Bands narrower than this are not divided by lines. */
const LEAST_BAND_CSS = 4;
const LEAST_WINDOW_CSS = 5;
const SIGN_CSS = 5;

/**
 * @typedef {object} StripScene
 * @property {number} width_css
 * @property {number} pixelRatio
 * @property {number} bufferElements
 * @property {Theme} theme
 * @property {Uint32Array} words colours, one per place
 * @property {Bands | null} bands
 * @property {Seen} seen
 * @property {number | null} chosen address
 * @property {readonly number[]} trail addresses of the last steps, the last first
 * @property {string} legend what the colours say, at the end of the line of names
 * @property {Uint8Array | null} touched 1 for each place that a slice takes
 */

/**
 * Draws a whole memory as a line: its colours, where the window lies, where the chosen cell is.
 * @param {CanvasRenderingContext2D} context
 * @param {StripScene} scene
 */
export function drawStrip(context, scene) {
  const { width_css, pixelRatio, theme, bufferElements, touched } = scene;
  /** @param {number} address */
  const xOf = (address) => (address / bufferElements) * width_css;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width_css, STRIP.height_css);
  layColours(context, scene);
  drawBands(context, scene, xOf);
  if (touched) drawTouched(context, touched, width_css, theme);
  drawWindow(context, scene, xOf);
  drawSigns(context, scene, xOf);
}

/** @type {WeakMap<Uint32Array, {canvas: OffscreenCanvas, context: OffscreenCanvasRenderingContext2D}>} */
const lines = new WeakMap();

/**
 * @param {CanvasRenderingContext2D} context
 * @param {StripScene} scene
 */
function layColours(context, { words, width_css, theme }) {
  let line = lines.get(words);
  if (line === undefined) {
    const canvas = new OffscreenCanvas(words.length, 1);
    const own = canvas.getContext('2d');
    if (own === null) throw new Error('this browser gives no 2d canvas');
    line = { canvas, context: own };
    lines.set(words, line);
  }
  line.context.putImageData(new ImageData(new Uint8ClampedArray(words.slice().buffer), words.length, 1), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(line.canvas, 0, STRIP.body_css, width_css, STRIP.bodyHigh_css);
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.strokeRect(0.5, STRIP.body_css - 0.5, width_css - 1, STRIP.bodyHigh_css + 1);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {StripScene} scene
 * @param {(address: number) => number} xOf
 */
function drawBands(context, { bands, width_css, theme, legend }, xOf) {
  context.font = `${FONT_CSS}px ${theme.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.fillStyle = theme.muted;
  context.fillText(legend, width_css, STRIP.text_css);
  if (!bands) return;
  const room_css = width_css - (legend.length + 2) * CHARACTER_CSS;
  const band_css = xOf(bands.stride);
  context.fillStyle = theme.background;
  for (let band = 1; band < bands.count && band_css >= LEAST_BAND_CSS; band += 1) {
    context.fillRect(xOf(bands.first + band * bands.stride) - 0.5, STRIP.body_css, 1, STRIP.bodyHigh_css);
  }
  context.textAlign = 'left';
  const longest = Math.max(bands.labelOf(0).length, bands.labelOf(bands.count - 1).length);
  const step = labelStep(band_css, longest * CHARACTER_CSS + 10, false);
  for (let band = 0; band < bands.count; band += step) {
    const x = xOf(bands.first + band * bands.stride);
    const text = bands.labelOf(band);
    if (x + 3 + text.length * CHARACTER_CSS > room_css) break;
    context.fillStyle = theme.line;
    context.fillRect(Math.max(0, x - 0.5), STRIP.body_css + STRIP.bodyHigh_css + 1, 1, 14);
    context.fillStyle = theme.muted;
    context.fillText(text, x + 4, STRIP.text_css);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Uint8Array} touched
 * @param {number} width_css
 * @param {Theme} theme
 */
function drawTouched(context, touched, width_css, theme) {
  const place_css = width_css / touched.length;
  context.fillStyle = theme.hover;
  for (let place = 0; place < touched.length; place += 1) {
    if (touched[place] === 0) continue;
    let end = place + 1;
    while (end < touched.length && touched[end] === 1) end += 1;
    context.fillRect(place * place_css, STRIP.touched_css, Math.max(1, (end - place) * place_css), 3);
    place = end;
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {StripScene} scene
 * @param {(address: number) => number} xOf
 */
function drawWindow(context, { seen, width_css, theme }, xOf) {
  const { x_css, wide_css } = windowAt(seen, width_css, xOf);
  const top = STRIP.body_css - 3;
  const high = STRIP.bodyHigh_css + 6;
  for (const [colour, line_css] of /** @type {[string, number][]} */ ([[theme.background, 5], [theme.select, 2]])) {
    context.strokeStyle = colour;
    context.lineWidth = line_css;
    context.strokeRect(x_css + 1, top + 1, wide_css - 2, high - 2);
  }
  context.fillStyle = theme.select;
  // Where the window cuts rows, the frame reaches from the first to the last; the bars are what it shows.
  if (seen.parts.length < 2) return;
  for (const [first, end] of seen.parts) {
    context.fillRect(xOf(first), top - 2, Math.max(1, xOf(end) - xOf(first)), 3);
    context.fillRect(xOf(first), top + high - 1, Math.max(1, xOf(end) - xOf(first)), 3);
  }
}

/**
 * Where the frame of the window lies: never narrower than can be seen, never beyond the strip.
 * @param {{first: number, end: number}} seen
 * @param {number} width_css
 * @param {(address: number) => number} xOf
 * @returns {{x_css: number, wide_css: number}}
 */
export function windowAt({ first, end }, width_css, xOf) {
  const [from, to] = [xOf(first), xOf(end)];
  const wide_css = Math.max(LEAST_WINDOW_CSS, to - from);
  return { x_css: Math.max(0, Math.min(width_css - wide_css, (from + to - wide_css) / 2)), wide_css };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {StripScene} scene
 * @param {(address: number) => number} xOf
 */
function drawSigns(context, { chosen, trail, width_css, theme }, xOf) {
  for (let at = trail.length - 1; at >= 0; at -= 1) {
    context.globalAlpha = 0.25 + 0.75 * (1 - at / trail.length);
    context.fillStyle = theme.hover;
    context.fillRect(xOf(trail[at] + 0.5) - 1, 1, 2, SIGN_CSS);
  }
  context.globalAlpha = 1;
  if (chosen === null) return;
  const x = Math.max(SIGN_CSS, Math.min(width_css - SIGN_CSS, xOf(chosen + 0.5)));
  const path = new Path2D();
  path.moveTo(x - SIGN_CSS, 1);
  path.lineTo(x + SIGN_CSS, 1);
  path.lineTo(x, STRIP.body_css + 1);
  path.closePath();
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = theme.background;
  context.stroke(path);
  context.fillStyle = theme.select;
  context.fill(path);
}
