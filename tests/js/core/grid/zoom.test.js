import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeViewport, createViewport, fit } from '../../../../static/core/grid/viewport.js';
import {
  fittingStep, fontSizeFor, LEAST_BORDERED_CSS, nextZoom, SMALLEST_FONT_CSS, textCell, zoomStepOf, zoomSteps,
} from '../../../../static/core/grid/zoom.js';
import { fewer, seeded } from '../../random-layouts.js';

/** @typedef {import('../../../../static/core/types.js').Viewport} Viewport */

/** @param {(below: number) => number} random */
function randomCase(random) {
  const viewport = createViewport({
    width_css: 200 + random(1500),
    height_css: 100 + random(900),
    label_left_css: random(60),
    label_top_css: random(30),
    columns: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    rows: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    cell_css: 2 ** (random(20) - 12),
  });
  return { viewport, characters: 1 + random(24) };
}

test('each step shows what its name says', () => {
  const random = seeded(3);
  const seen = { text: 0, cells: 0, texture: 0, all: 0 };
  for (let number = 0; number < 2000; number += 1) {
    const { viewport, characters } = randomCase(random);
    const steps = zoomSteps(viewport, characters);
    const text = JSON.stringify({ viewport, characters, steps });
    for (const step of /** @type {const} */ (['text', 'cells', 'texture', 'all'])) {
      const cell_css = steps[step];
      if (cell_css === null) continue;
      seen[step] += 1;
      const view = changeViewport(viewport, { cell_css, left_cells: 0, top_cells: 0 });
      assert.ok(Math.abs(view.cell_css - cell_css) < 1e-9, 'the size can be reached');
      assert.equal(zoomStepOf(view, characters), step, text);
    }
    const { text: large, cells, texture, all } = steps;
    if (large !== null) assert.ok(fontSizeFor(large, characters) >= SMALLEST_FONT_CSS);
    if (cells !== null) assert.ok(cells >= LEAST_BORDERED_CSS && fontSizeFor(cells, characters) < SMALLEST_FONT_CSS, text);
    if (texture !== null) assert.ok(texture <= Math.max(3.3, LEAST_BORDERED_CSS));
    assert.equal(all, fit(viewport).cell_css);
  }
  assert.ok(Object.values(seen).every((count) => count > 300), JSON.stringify(seen));
});

test('text is eleven pixels high or as large as cells get', () => {
  assert.equal(textCell(1), 20);
  assert.equal(textCell(4), 31);
  assert.ok(fontSizeFor(textCell(8), 8) >= 11);
  // Long texts leave a fifth of their cells empty.
  for (const characters of [5, 6, 12]) assert.ok(textCell(characters) * 0.8 >= characters * 0.58 * 11);
  assert.equal(textCell(40), 128);
});

test('plus and minus pass every step on the way, and come back', () => {
  const random = seeded(4);
  for (let number = 0; number < fewer(400); number += 1) {
    const { viewport, characters } = randomCase(random);
    /** @param {Viewport} view @param {'in' | 'out'} direction */
    const next = (view, direction) => changeViewport(view, { cell_css: nextZoom(view, direction, characters) });
    let view = fit(viewport);
    for (let press = 0; press < 60; press += 1) view = next(view, 'out');
    /** @type {Viewport[]} */
    const upwards = [view];
    for (let press = 0; press < 80; press += 1) {
      const larger = next(view, 'in');
      if (larger.cell_css === view.cell_css) break;
      assert.ok(larger.cell_css / view.cell_css <= 2.51, 'no jump');
      view = larger;
      upwards.push(view);
    }
    assert.equal(view.cell_css, 128, 'the largest');
    const sizes = upwards.map(({ cell_css }) => cell_css);
    for (const size of Object.values(zoomSteps(viewport, characters))) {
      if (size !== null) assert.ok(sizes.some((one) => Math.abs(one / size - 1) < 0.021), JSON.stringify({ size, sizes }));
    }
    for (const before of upwards.slice(0, -1).reverse()) {
      view = next(view, 'out');
      assert.ok(Math.abs(view.cell_css / before.cell_css - 1) < 1e-6, 'the same stops on the way back');
    }
  }
});

test('what cannot be shown is not offered', () => {
  const small = createViewport({ width_css: 900, height_css: 600, columns: 10, rows: 4 });
  assert.equal(zoomSteps(small, 2).texture, null, 'ten cells are no texture');
  assert.equal(zoomSteps(small, 30).text, null, 'no cell holds thirty characters');
});

test('Fit shows the whole, or a part where cells of the whole would not be told apart and not much more shows them', () => {
  const window = { width_css: 1080, height_css: 260, label_left_css: 40, label_top_css: 34 };
  /** @param {number} columns @param {number} rows */
  const step = (columns, rows) => fittingStep(zoomSteps(createViewport({ ...window, columns, rows }), 3));
  assert.equal(step(191, 255), 'texture', 'weights of 64 x 48 x 3 x 3');
  assert.equal(step(256, 108), 'all', 'their memory');
  assert.equal(step(20, 8), 'all');
  assert.equal(step(4000, 4000), 'all', 'a part would be little of it');
});
