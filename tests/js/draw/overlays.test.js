import assert from 'node:assert/strict';
import test from 'node:test';
import { createViewport } from '../../../static/core/grid/viewport.js';
import { fontSizeFor } from '../../../static/core/grid/zoom.js';
import { drawNumbers } from '../../../static/draw/overlays.js';

/** Of a digit, by its font size. */
const DIGIT = 0.72;

/** @param {number} cell_css @returns {number | null} how low the number of the first cell reaches; null without one */
function reachOf(cell_css) {
  const viewport = createViewport({ width_css: 100, height_css: 100, columns: 1, rows: 1, cell_css });
  /** @type {number | null} */
  let reach_css = null;
  /** @type {Record<string, Function>} */
  const calls = { fillRect: (/** @type {number[]} */ ...[, y, , height]) => (reach_css = y + height - viewport.inset_top_css) };
  const context = new Proxy({}, { get: (_, name) => calls[String(name)] ?? (() => null), set: () => true });
  const drawn = drawNumbers(/** @type {CanvasRenderingContext2D} */ (context), viewport, /** @type {any} */ ({}), () => 1);
  assert.equal(drawn, reach_css !== null);
  return reach_css;
}

test('a number in the corner ends above the text in the middle, or is not there', () => {
  for (let cell_css = 12; cell_css <= 80; cell_css += 0.5) {
    const reach_css = reachOf(cell_css);
    const text_css = (cell_css - DIGIT * fontSizeFor(cell_css, 1)) / 2;
    assert.ok(reach_css === null || reach_css <= text_css, `${cell_css}`);
  }
  assert.notEqual(reachOf(35), null);
});
