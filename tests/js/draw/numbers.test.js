import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitComplex } from '../../../static/core/files/complex.js';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { charactersIn } from '../../../static/core/grid/zoom.js';
import { fit, createViewport } from '../../../static/core/grid/viewport.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { exactText, sizesText } from '../../../static/core/numbers.js';
import { defaultTheme, toWord, parseColour } from '../../../static/core/palette.js';
import { createCellText } from '../../../static/draw/cell-text.js';
import { rampTexts } from '../../../static/draw/legend.js';
import { createPainter } from '../../../static/draw/painter.js';
import { paintPlanes } from '../../../static/draw/planes.js';
import { sampleViewport } from '../../../static/draw/surface.js';
import { describe } from '../random-layouts.js';

test('every number is grouped by the same rule', () => {
  for (const [value, text] of /** @type {[string | number, string][]} */ ([
    [999, '999'], [1000, '1 000'], [-1234567, '-1 234 567'], ['9007199254740993', '9 007 199 254 740 993'],
    ['12345.67891', '12 345.67891'], ['0.00012345', '0.00012345'], ['⌊c/4096⌋·16384', '⌊c/4 096⌋·16 384'],
    ['((s & 0b1110000) >> 3)', '((s & 0b1110000) >> 3)'],
  ])) assert.equal(exactText(value).replaceAll('\u202f', ' '), text);
  assert.equal(sizesText([2, 2048]).replace('\u202f', ' '), '2 × 2 048');
  assert.equal(sizesText([]), 'one element');
});

/** @param {readonly number[]} shape row-major */
function plain(shape) {
  const strides = shape.map((_, dim) => shape.slice(dim + 1).reduce((all, size) => all * size, 1));
  return createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0));
}

/** @param {number[]} data @param {string} [colour] */
function rampOf(data, colour = 'value') {
  const values = colour === 'value' ? { data, role: /** @type {const} */ ('data') } : null;
  const { plan } = createPainter({ tensor: plain([data.length]), theme: defaultTheme(false), colour, values, slice: null });
  return rampTexts(plan);
}

test('a scale from low to high has ticks with numbers', () => {
  assert.deepEqual(rampOf([3, -1, 2, NaN]), ['-1', '1', '3']);
  assert.deepEqual(rampOf([0.12345, 0.5]), ['0.123', '0.312', '0.5']);
  assert.deepEqual(rampOf([7, 7]), ['7']);
  assert.deepEqual(rampOf([NaN]), []);
  assert.deepEqual(rampOf([-123456789, 123456789]).map((text) => text.replaceAll('\u202f', ' ')), ['-123 456 789', '123 456 789']);
  assert.deepEqual(rampOf([1, 2, 3], 'linear'), ['0', '1', '2']);
});

test('a value has fewer digits where a cell has no room for more', () => {
  const tensor = plain([2]);
  const values = { data: [-0.12345, 0.5], role: /** @type {const} */ ('data') };
  for (const [room, text] of /** @type {[number, string][]} */ ([[Infinity, '-0.123'], [6, '-0.123'], [5, '-0.12'], [4, '-0.1'], [2, '-0.123']])) {
    assert.equal(createCellText(tensor, 'value', values, room)([0]), text, String(room));
  }
  assert.equal(charactersIn(24), 3);
});

test('a complex value has both parts, as short as the cell', () => {
  const values = { ...splitComplex([0.5, -0.12345, 3, 4]), role: /** @type {const} */ ('data') };
  for (const [room, texts] of /** @type {[number, string[]][]} */ ([[Infinity, ['0.5-0.123j', '3+4j']], [9, ['0.5-0.12j', '3+4j']]])) {
    assert.deepEqual([[0], [1]].map(createCellText(plain([2]), 'value', values, room)), texts);
  }
});

test('gaps between planes that are narrower than a pixel leave no lines', () => {
  const tensor = plain([64, 64, 56, 56]);
  const theme = defaultTheme(false);
  const painter = createPainter({ tensor, theme, colour: 'auto', values: null, slice: null });
  const grid = createLogicalGrid(tensor, 2.5);
  const viewport = fit(createViewport({ width_css: 968, height_css: 340, columns: grid.columns, rows: grid.rows }));
  const sampling = sampleViewport(viewport, 1);
  const { width_px, height_px } = sampling;
  const words = new Uint32Array(width_px * height_px);
  const scene = /** @type {import('../../../static/draw/types.js').LogicalScene} */ (/** @type {unknown} */ ({ painter, grid, viewport }));
  paintPlanes(scene, /** @type {import('../../../static/draw/surface.js').Surface} */ (/** @type {unknown} */ ({ words, width_px, height_px })), sampling);
  // The row above the first planes is empty; nothing else is.
  const empty = [...words.subarray(2 * width_px)].filter((word) => word === 0 || word === toWord(parseColour(theme.background)));
  assert.equal(empty.length, 0);
});
