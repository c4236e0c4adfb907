import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logicalBlocks, memoryBlocks, stepOfBlocks } from '../../../static/core/grid/blocks.js';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { createViewport, fit } from '../../../static/core/grid/viewport.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { defaultTheme } from '../../../static/core/palette.js';
import { drawLogicalBlocks, drawMemoryBlocks } from '../../../static/draw/grids/blocks.js';
import { drawFarEdges } from '../../../static/draw/logical-edges.js';
import { labelStep } from '../../../static/draw/marks.js';
import { describe, seeded } from '../random-layouts.js';

/** @typedef {[extent: number, stride: number]} Digit */

/** @param {number[]} shape @param {Digit[][]} digits */
function tensorOf(shape, digits) {
  return createTensor(describe(shape, digits.map((list) => list.map(([extent, stride]) => ({ extent, stride }))), 0));
}

/** OIhw4i16o4i of 64 x 48 x 3 x 3. */
const WEIGHTS = tensorOf([64, 48, 3, 3], [[[4, 6912], [16, 4]], [[3, 2304], [4, 64], [4, 1]], [[3, 768]], [[3, 256]]]);
const MATRIX = tensorOf([64, 96], [[[16, 384], [4, 1]], [[6, 64], [16, 4]]]);
const theme = defaultTheme(false);

/**
 * What is drawn in a window that shows the whole logical tensor.
 * @param {import('../../../static/core/types.js').Tensor} tensor
 * @param {number} width_css
 * @param {number} height_css
 * @param {boolean} [blocked] whether a line of planes is a block
 * @param {number} [label_left_css] room for labels beside the rows
 */
function drawn(tensor, width_css, height_css, blocked = false, label_left_css = 50) {
  const grid = createLogicalGrid(tensor, width_css / height_css, blocked);
  const window = { width_css, height_css, columns: grid.columns, rows: grid.rows, label_left_css, label_top_css: 34 };
  const viewport = fit(createViewport(window));
  const scene = /** @type {any} */ ({ painter: { tensor, theme }, grid, viewport });
  /** @type {{x: number, y: number, wide: number, high: number}[]} */
  const rects = [];
  /** @type {string[]} */
  const texts = [];
  const pen = /** @type {any} */ ({
    beginPath() {}, fill() {}, fillRect() {},
    rect: (/** @type {number[]} */ ...[x, y, wide, high]) => rects.push({ x, y, wide, high }),
    fillText: (/** @type {string} */ text) => texts.push(text),
  });
  const seen = new Set();
  drawLogicalBlocks(pen, scene, seen);
  drawFarEdges(pen, scene);
  return { grid, viewport, rects, texts, seen };
}

test('small planes have a space where a block of theirs begins, and nowhere else', () => {
  const { grid, viewport, rects, seen } = drawn(WEIGHTS, 1080, 280);
  assert.equal(seen.has('blocks'), true);
  const upright = rects.filter(({ wide, high }) => high > wide);
  const starts = Array.from({ length: grid.planesAcross }, (_, place) => place).filter((place) => place % 16 === 0).slice(1);
  assert.equal(upright.length, starts.length);
  upright.forEach(({ x, wide }, at) => {
    const plane_css = viewport.inset_left_css + starts[at] * grid.pitchColumns * viewport.column_css;
    assert.ok(x < plane_css && x + wide > plane_css - viewport.column_css * grid.gap_columns, `space at ${x}, plane at ${plane_css}`);
  });
  assert.equal(rects.length - upright.length, 3, 'o is in four blocks below each other');
});

test('where there is little room a line of planes says its dimension without a space', () => {
  const images = tensorOf([2, 16, 56, 56], [[[2, 50176]], [[16, 1]], [[56, 896]], [[56, 16]]]);
  for (const [left_css, names] of /** @type {const} */ ([[50, ['b 8', 'a 1', 'b 8']], [24, ['b8', 'a1', 'b8']], [16, ['8', '1', '8']]])) {
    const { texts } = drawn(images, 390, 236, false, left_css);
    assert.deepEqual(texts.slice(-3), names, String(texts));
  }
});

test('labels of small planes stand where blocks begin', () => {
  for (const width_css of [700, 1080, 1480]) {
    const { texts } = drawn(WEIGHTS, width_css, 280);
    const rows = texts.filter((text) => !/i/.test(text)).map((text) => Number(text.replace('a ', '')));
    for (const start of [0, 16, 32, 48]) assert.ok(rows.includes(start), `${width_css}: ${start} of ${rows}`);
    for (const start of [0, 32]) assert.ok(texts.includes(`b ${start}`), `${width_css}: ${texts}`);
    // The dimension of the lines stands beside them: above, it would be true of the first line only.
    assert.ok(texts.filter((text) => /a \d.*b/.test(text)).length === 0, String(texts));
  }
});

test('lines of planes too low for two labels say which planes they are', () => {
  const image = tensorOf([1, 128, 28, 28], [[[1, 100352]], [[8, 12544], [16, 1]], [[28, 448]], [[28, 16]]]);
  const { grid, viewport, texts } = drawn(image, 1080, 265, true);
  const high_css = grid.pitchRows * viewport.row_css;
  assert.ok(high_css > 24 && high_css < 36, String(high_css));
  for (const start of [16, 32, 112]) assert.ok(texts.includes(`b ${start}`), String(texts));
});

test('lines of high planes without room above them are named at their left', () => {
  const image = tensorOf([1, 64, 56, 56], [[[1, 200704]], [[4, 50176], [16, 1]], [[56, 896]], [[56, 16]]]);
  const { grid, viewport, texts } = drawn(image, 1080, 265, true);
  assert.ok(grid.pitchRows * viewport.row_css > 36);
  assert.deepEqual(texts, ['b 16', 'b 32', 'b 48'], 'the first line has its names above it');
});

test('blocks within a plane have their space, too', () => {
  const { rects } = drawn(MATRIX, 1080, 380);
  assert.deepEqual([rects.filter(({ wide, high }) => high > wide).length, rects.filter(({ wide, high }) => high < wide).length], [5, 15]);
});

test('a layout without blocks has none', () => {
  const { rects, seen } = drawn(tensorOf([64, 48, 3, 3], [[[64, 432]], [[48, 9]], [[3, 3]], [[3, 1]]]), 1080, 280);
  assert.deepEqual([rects, seen.size], [[], 0]);
});

test('blocks in memory begin where a step of a blocked dimension begins', () => {
  assert.deepEqual(memoryBlocks(WEIGHTS, 256), { columns: [4, 64], rows: [9, 27] });
  assert.deepEqual(memoryBlocks(WEIGHTS, 100), { columns: [4], rows: [] }, 'a row that breaks them');
  /** @type {number[]} */
  const rows = [];
  const viewport = createViewport({ width_css: 600, height_css: 240, columns: 256, rows: 108, label_left_css: 40, label_top_css: 20, cell_css: 2 });
  const pen = /** @type {any} */ ({ beginPath() {}, fill() {}, rect: (/** @type {number[]} */ ...[, y, wide, high]) => wide > high && rows.push(y + high / 2) });
  drawMemoryBlocks(pen, /** @type {any} */ ({ painter: { tensor: WEIGHTS, theme }, viewport, rowLength_elems: 256 }), new Set());
  assert.equal(rows.length, 11);
  rows.forEach((y, at) => assert.ok(Math.abs(y - viewport.inset_top_css - (at + 1) * 18) <= 1, String(rows)));
});

test('a step of labels meets where blocks begin', () => {
  const random = seeded(5);
  for (let number = 0; number < 300; number += 1) {
    const inner = 2 + random(30);
    const outer = inner * (1 + random(6));
    const least = random(200) / 7;
    const step = stepOfBlocks([inner, outer], least);
    assert.ok(step >= least, `${step} for at least ${least}`);
    assert.ok(outer % step === 0 || step % outer === 0, `${step} for blocks of ${inner} and ${outer}`);
  }
  assert.equal(stepOfBlocks([4503599627370449], 7), 4503599627370449, 'a prime block at once');
  assert.equal(labelStep(2, 16, false, [9, 27]), 9);
  assert.equal(labelStep(2, 16, false, [0]), 10);
});

test('where planes are wrapped, blocks of the dimension before begin with a line', () => {
  for (const aspect of [2, 3, 4.3, 5, 7, 9]) {
    const grid = createLogicalGrid(WEIGHTS, aspect, false);
    const { lines, places } = logicalBlocks(WEIGHTS, grid);
    assert.equal(places, 16, `aspect ${aspect}`);
    assert.equal(lines.length, 1, `aspect ${aspect}: ${grid.planesAcross} across`);
    const starts = [16, 32, 48].map((o) => grid.cellOf([o, 0, 0, 0]));
    assert.deepEqual(starts.map(({ column, row }) => [column, row / grid.pitchRows]), [1, 2, 3].map((at) => [0, at * lines[0]]));
  }
});
