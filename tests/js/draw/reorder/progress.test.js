import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATEGORIES, contrast, defaultTheme, fromWord, inkOn, mix, paletteOf, SHADES, toCss } from '../../../../static/core/palette.js';
import { coverUnder, drawRail, READ_ALPHA } from '../../../../static/draw/reorder/progress.js';
import { wayOf } from '../../../../static/draw/reorder/travel.js';
import { createViewport } from '../../../../static/core/grid/viewport.js';

test('the ink of a cell that was read is that of its category, and legible in both themes', () => {
  for (const dark of [false, true]) {
    const palette = paletteOf('categories', defaultTheme(dark));
    for (let at = 0; at < CATEGORIES * SHADES; at += 1) {
      const fill = fromWord(palette[at]);
      const ink = inkOn(fill);
      const read = mix(fill, fromWord(coverUnder(toCss(ink))), READ_ALPHA);
      assert.ok(contrast(read, ink) >= 4.5, `${dark} ${at}: ${toCss(ink)} on ${toCss(read)}`);
    }
  }
});

test('where rows are too low for the text of their addresses the way ends before B, at the middle of its row', () => {
  const between = { x: 300, end: 340 };
  /** @param {number} side */
  const end = (side) => wayOf({ from: null, to: { x: 500, y: 80 }, count: 1, fromSide: side, toSide: side, cells: [] }, { x: 100, y: 80 }, between).at(-1);
  assert.deepEqual(end(8), { x: 337, y: 84 });
  assert.deepEqual(end(20), { x: 497, y: 99.5 });
});

test('rows of 8 pixels have their boxes, and the present one its triangle', () => {
  const viewport = createViewport({ width_css: 160, height_css: 80, columns: 16, rows: 9, label_left_css: 24, label_top_css: 8, cell_css: 8 });
  /** @type {[number, number][]} */
  const boxes = [];
  const points = new Set();
  const nothing = () => {};
  const pen = /** @type {any} */ (new Proxy({ strokeRect: (/** @type {number[]} */ ...[, , wide, high]) => boxes.push([wide, high]), moveTo: (/** @type {number} */ x) => points.add(x), createPattern: () => '' }, { get: (own, name) => Reflect.get(own, name) ?? nothing, set: () => true }));
  drawRail(pen, { viewport, width_css: 24, theme: defaultTheme(true), rowAt: () => ({ steps: new Float64Array(), first: 0, last: 9 }), done: 4, now: [3, 3], pixelRatio: 1 });
  assert.equal(boxes.length, 9);
  assert.deepEqual(boxes[0], [5, 5]);
  assert.ok(points.has(1));
});
