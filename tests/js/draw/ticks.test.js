import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { createViewport } from '../../../static/core/grid/viewport.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { defaultTheme } from '../../../static/core/palette.js';
import { drawEdges, drawPlaneLabels, logicalInsets } from '../../../static/draw/logical-edges.js';
import { CHARACTER_CSS } from '../../../static/draw/marks.js';
import { tickChosen } from '../../../static/draw/memory-grid.js';
import { createPainter } from '../../../static/draw/painter.js';
import { describe } from '../random-layouts.js';

/**
 * The texts that the edges of a phone's grid show.
 * @param {readonly number[]} shape row-major
 * @param {number} height_css
 */
function ticksOf(shape, height_css) {
  const strides = shape.map((_, dim) => shape.slice(dim + 1).reduce((all, size) => all * size, 1));
  const tensor = createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0));
  const painter = createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null });
  const grid = createLogicalGrid(tensor, 382 / height_css, false);
  const viewport = createViewport({ width_css: 382, height_css, columns: grid.columns, rows: grid.rows, ...logicalInsets(tensor, false) });
  /** @type {[string, number, number][]} */
  const texts = [];
  const pen = /** @type {any} */ ({ fillText: (/** @type {[string, number, number]} */ ...text) => texts.push(text) });
  drawEdges(pen, /** @type {any} */ ({ painter, grid, viewport, selected: null }));
  return texts.filter(([text]) => text);
}

test('on a phone the ticks say which dimension they count', () => {
  for (const [height_css, rows] of /** @type {[number, string][]} */ ([[219, 'c0'], [300, 'c']])) {
    const texts = ticksOf([1, 6, 4, 5], height_css).map(([text]) => text);
    assert.ok(texts.includes(rows), `${texts}: at the first row, or above the rows`);
    assert.ok(texts.includes('d0'), `${texts}: at the first column`);
  }
});

test('rows too low to be told apart leave the edge to the labels of their planes', () => {
  const texts = ticksOf([2, 64, 112, 112], 219).map(([text]) => text);
  assert.deepEqual(texts.filter((text) => /\d/.test(text)), []);
});

test('each row that is as high as its number has one', () => {
  const texts = ticksOf([1, 8, 4, 5], 181);
  const left_css = Math.min(...texts.map(([, x_css]) => x_css));
  assert.deepEqual(texts.filter(([, x_css]) => x_css === left_css).map(([text]) => text).filter((text) => text !== 'c'), ['0', '1', '2', '3', '0', '1', '2', '3']);
});

test('the last tick of a plane does not touch the first of the next one', () => {
  const texts = ticksOf([1, 4, 96, 128], 100);
  const above = texts.filter(([, , y_css]) => y_css === texts[0][2]);
  assert.ok(above.length >= 6, `${above.length} ticks over four planes`);
  for (const [at, [text, x_css]] of above.slice(0, -1).entries()) {
    assert.ok(x_css + text.length * CHARACTER_CSS + 4 <= above[at + 1][1], `${text} and ${above[at + 1][0]}`);
  }
});

test('the tick of the chosen column of memory takes the place of those that it would touch', () => {
  const tensor = createTensor(describe([4, 16], [[{ extent: 4, stride: 16 }], [{ extent: 16, stride: 1 }]], 0));
  const painter = createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null });
  const viewport = createViewport({ width_css: 382, height_css: 236, columns: 16, rows: 4, label_left_css: 24, label_top_css: 20 });
  /** @type {[number, number][]} */
  const wiped = [];
  const pen = /** @type {any} */ ({ fillText: () => {}, measureText: () => ({ width: 20 }), fillRect: (/** @type {number} */ x, /** @type {number} */ _y, /** @type {number} */ wide) => wiped.push([x, x + wide]) });
  tickChosen(pen, /** @type {any} */ ({ painter, viewport, rowLength_elems: 16, selected: [0, 13] }));
  const middle = (/** @type {number} */ column) => viewport.inset_left_css + (column + 0.5) * viewport.column_css;
  const hidden = (/** @type {number} */ column) => wiped.some(([left, right]) => left <= middle(column) - 3 * CHARACTER_CSS / 2 + 1 && right >= middle(column) + 3 * CHARACTER_CSS / 2 - 1);
  assert.ok(hidden(12) && hidden(14), JSON.stringify(wiped));
  assert.ok(!hidden(10) && !wiped.some(([left, right]) => left < middle(10) + 8 && right > middle(10) - 8));
});

test('the tick of the chosen row of memory takes the place of those that it would touch', () => {
  const tensor = createTensor(describe([16, 16], [[{ extent: 16, stride: 16 }], [{ extent: 16, stride: 1 }]], 0));
  const painter = createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null });
  const viewport = createViewport({ width_css: 382, height_css: 160, columns: 16, rows: 16, label_left_css: 30, label_top_css: 20, cell_css: 8 });
  /** @type {number[]} */
  const wiped = [];
  const pen = /** @type {any} */ ({ fillText: () => {}, measureText: () => ({ width: 20 }), fillRect: (/** @type {number} */ x, /** @type {number} */ y) => x < viewport.inset_left_css && wiped.push(y + 6) });
  tickChosen(pen, /** @type {any} */ ({ painter, viewport, rowLength_elems: 16, selected: [5, 3] }));
  // Every second row has its address: the fourth and the sixth touch that of the fifth, the second does not.
  const middle = (/** @type {number} */ row) => viewport.inset_top_css + row * 8 + 6;
  for (const [row, hidden] of /** @type {[number, boolean][]} */ ([[2, false], [4, true], [6, true], [8, false]])) {
    assert.equal(wiped.some((y) => Math.abs(y - middle(row)) < 1), hidden, `${row}: ${wiped}`);
  }
});

/**
 * The texts with arrows of a tensor in row-major order.
 * @param {readonly number[]} shape
 * @param {number} aspect
 * @param {number} across planes of a line
 */
function arrowsOf(shape, aspect, across) {
  const strides = shape.map((_, dim) => shape.slice(dim + 1).reduce((all, size) => all * size, 1));
  const tensor = createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0));
  const painter = createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null });
  const grid = createLogicalGrid(tensor, aspect);
  assert.equal(grid.planesAcross, across);
  const size = { columns: grid.columns, rows: grid.rows, height_css: 130, ...logicalInsets(tensor, false) };
  /** @param {Partial<import('../../../static/core/types.js').Viewport>} part */
  const said = (part) => {
    /** @type {string[]} */
    const texts = [];
    const pen = /** @type {any} */ ({ fillText: (/** @type {string} */ text) => texts.push(text), fillRect: () => {} });
    drawPlaneLabels(pen, /** @type {any} */ ({ painter, grid, viewport: createViewport({ ...size, width_css: 390, ...part }), selected: null }));
    return texts.filter((text) => /[\u2039\u203a]/.test(text));
  };
  return { names: tensor.dims.map((name) => name.toLowerCase()), said };
}

test('planes that the window hides are pointed to, the next one by its name', () => {
  const { names, said } = arrowsOf([4, 4, 5], 9, 4);
  const read = { cell_css: 22, left_cells: 0 };
  assert.deepEqual(said(read), [`${names[0]} 3 \u203a`]);
  assert.deepEqual(said({ ...read, left_cells: 7 }), ['\u2039'], 'the last one is seen, the first ones are not');
  assert.deepEqual(said({}), [], 'the whole');
});

test('where a line goes on with another group of planes, that is named too', () => {
  const { names: [first, second], said } = arrowsOf([4, 4, 4, 5], 4, 8);
  const read = { cell_css: 50, left_cells: 0 };
  assert.deepEqual(said({ ...read, width_css: 820 }), [`${second} 3 \u2026 ${first} 1 \u203a`]);
  assert.deepEqual(said({ ...read, width_css: 730 }), [`${second} 3 \u203a`], 'where there is room');
  assert.deepEqual(said({ ...read, width_css: 1120 }), [`${first} 1 ${second} 0 \u203a`], 'its first plane is next');
  assert.deepEqual(said({ ...read, left_cells: 25, width_css: 580 }), [`${second} 2 \u203a`, '\u2039'], 'it is in view');
});
