import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../static/core/tensor.js';
import {
  cellAt, changeViewport, createViewport, fit, opening, panBy, rectOf, reveal, rowLengthOf,
  visibleRange, zoomAt, zoomLevel,
} from '../../static/core/viewport.js';
import { describe, seeded } from './random-layouts.js';

/** @param {(below: number) => number} random */
function randomViewport(random) {
  return createViewport({
    width_css: 200 + random(1500),
    height_css: 100 + random(900),
    inset_left_css: random(60),
    inset_top_css: random(30),
    columns: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    rows: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    cell_css: 2 ** (random(20) - 12),
    left_cells: random(1e6),
    top_cells: random(1e6),
  });
}

test('every reachable state shows some of the grid and lies within it', () => {
  const random = seeded(1);
  for (let number = 0; number < 2000; number += 1) {
    let viewport = randomViewport(random);
    for (let move = 0; move < 4; move += 1) {
      if (random(2) === 0) viewport = zoomAt(viewport, 2 ** (random(9) - 4), random(900), random(600));
      else viewport = panBy(viewport, random(3000) - 1500, random(3000) - 1500);
      const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
      const text = JSON.stringify(viewport);
      assert.ok(0 <= firstColumn && firstColumn < endColumn && endColumn <= viewport.columns, text);
      assert.ok(0 <= firstRow && firstRow < endRow && endRow <= viewport.rows, text);
      assert.ok(viewport.cell_css > 0 && viewport.cell_css <= 96, text);
      assert.ok(Object.isFrozen(viewport));
    }
  }
});

test('the cell under a point is the one drawn there', () => {
  const random = seeded(2);
  let hits = 0;
  for (let number = 0; number < 3000; number += 1) {
    const viewport = randomViewport(random);
    const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
    const cell = { column: firstColumn + random(endColumn - firstColumn), row: firstRow + random(endRow - firstRow) };
    const { x_css, y_css, size_css } = rectOf(viewport, cell);
    const [x, y] = [x_css + size_css / 2, y_css + size_css / 2];
    if (x < viewport.inset_left_css || y < viewport.inset_top_css) {
      assert.equal(cellAt(viewport, x, y), null, 'labels are no cells');
    } else if (x < viewport.width_css && y < viewport.height_css) {
      assert.deepEqual(cellAt(viewport, x, y), cell);
      hits += 1;
    }
  }
  assert.ok(hits > 1000);
});

test('zooming keeps the point under the pointer, panning moves it with the pointer', () => {
  const start = createViewport({
    width_css: 1000, height_css: 600, columns: 1e6, rows: 1e6, inset_left_css: 50, inset_top_css: 20,
    cell_css: 10, left_cells: 5000, top_cells: 777_000,
  });
  for (const factor of [0.1, 0.7, 1.3, 5]) {
    const zoomed = zoomAt(start, factor, 333, 222);
    assert.ok(Math.abs(zoomed.cell_css - 10 * factor) < 1e-9);
    const before = { x: start.left_cells + 283 / 10, y: start.top_cells + 202 / 10 };
    assert.ok(Math.abs(zoomed.left_cells + 283 / zoomed.cell_css - before.x) < 1e-6);
    assert.ok(Math.abs(zoomed.top_cells + 202 / zoomed.cell_css - before.y) < 1e-6);
  }
  const panned = panBy(start, 40, -70);
  assert.deepEqual([panned.left_cells, panned.top_cells], [4996, 777_007]);
});

test('fit shows the whole grid, reveal shows the cell and does not move without need', () => {
  const start = createViewport({ width_css: 800, height_css: 400, columns: 300, rows: 5000, cell_css: 20 });
  const whole = visibleRange(fit(start));
  assert.deepEqual(whole, { firstColumn: 0, endColumn: 300, firstRow: 0, endRow: 5000 });
  const cell = { column: 299, row: 4321 };
  const shown = reveal(start, cell);
  const { x_css, y_css } = rectOf(shown, cell);
  assert.ok(x_css >= 0 && x_css + 20 <= 800 && y_css >= 0 && y_css + 20 <= 400);
  assert.deepEqual(reveal(shown, { column: 298, row: 4320 }), shown);
});

test('a view opens on text, on the whole, on the width or on a cell per pixel', () => {
  const window = { width_css: 1000, height_css: 400 };
  const cells = (/** @type {number} */ columns, /** @type {number} */ rows) =>
    opening(createViewport({ ...window, columns, rows })).cell_css;
  assert.equal(cells(6, 2), 64, 'small: reading size');
  assert.ok(cells(36, 32) > 27, 'medium: readable, though not all of it');
  assert.equal(cells(320, 720), 400 / 720, 'a picture: all of it');
  assert.equal(cells(100, 3000), 10, 'a sliver: its width');
  assert.equal(cells(1000, 1e9), 1, 'huge: a cell per pixel');
});

test('zoom levels follow the room that text needs', () => {
  const start = createViewport({ width_css: 900, height_css: 600, columns: 1000, rows: 1000, cell_css: 30 });
  assert.equal(zoomLevel(start), 'text');
  assert.equal(zoomLevel(start, 9), 'cell');
  assert.equal(zoomLevel(changeViewport(start, { cell_css: 2 })), 'texture');
});

test('addresses far out stay exact', () => {
  const viewport = createViewport({
    width_css: 900, height_css: 600, columns: 1000, rows: 1e9, cell_css: 20, top_cells: 987_654_321.25,
  });
  assert.deepEqual(cellAt(viewport, 10, 10), { column: 0, row: 987_654_321 });
  assert.equal(rectOf(viewport, { column: 0, row: 987_654_322 }).y_css, 15);
});

test('the row length follows the layout, the cache line or the wish', () => {
  /** @param {number[]} shape @param {number[]} strides */
  const strided = (shape, strides) =>
    createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0));
  const figure = [2, 64, 3, 3];
  assert.equal(rowLengthOf(strided([2, 3], [5, 1]), 'auto', 32), 5);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'auto', 32), 9);
  assert.equal(rowLengthOf(strided(figure, [576, 1, 192, 64]), 'auto', 32), 64);
  assert.equal(rowLengthOf(strided([1, 3, 480, 640], [921_600, 307_200, 640, 1]), 'auto', 8), 640);
  assert.equal(rowLengthOf(strided([1, 3, 480, 640], [921_600, 1, 1920, 3]), 'auto', 8), 1920);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'line', 32), 16);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'line', 4), 128);
  assert.equal(rowLengthOf(strided([5], [1]), 'auto', 32), 5);
  assert.equal(rowLengthOf(strided([5], [1]), 7.9, 32), 5);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 7.9, 32), 7);
  assert.equal(rowLengthOf(strided([], []), 'auto', 32), 1);
});
