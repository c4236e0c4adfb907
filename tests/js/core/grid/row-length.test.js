import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lessonRow, narrowColumns, rowLengthOf } from '../../../../static/core/grid/row-length.js';
import { fontSizeFor, SMALLEST_FONT_CSS } from '../../../../static/core/grid/zoom.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { describe } from '../../random-layouts.js';

test('the row length follows the layout, the cache line or the wish', () => {
  /** @param {number[]} shape @param {number[]} strides */
  const strided = (shape, strides) =>
    createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0));
  const figure = [2, 64, 3, 3];
  assert.equal(rowLengthOf(strided([2, 3], [5, 1]), 'auto', 32), 5);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'auto', 32), 72);
  assert.equal(rowLengthOf(strided(figure, [576, 1, 192, 64]), 'auto', 32), 64);
  assert.equal(rowLengthOf(strided([10, 3, 16, 16], [768, 1, 48, 3]), 'auto', 32), 192, 'four lines of an image');
  assert.equal(rowLengthOf(strided([10, 3, 16, 16], [768, 256, 16, 1]), 'auto', 32), 256, 'an image');
  assert.equal(rowLengthOf(strided([2, 8, 4, 5], [160, 20, 5, 1]), 'auto', 32), 40, 'two planes: texts need the width');
  assert.equal(rowLengthOf(strided([16, 16], [16, 1]), 'auto', 32), 32);
  assert.equal(rowLengthOf(strided([2, 2, 3, 3, 4], [72, 36, 12, 4, 1]), 'auto', 32), 36, 'twelve rows of twelve fill no window');
  assert.equal(rowLengthOf(strided([2, 3, 7, 5], [105, 1, 15, 3]), 'auto', 32), 15, 'nothing near is longer');
  assert.equal(rowLengthOf(strided([8, 64], [64, 1]), 'auto', 32), 64, 'a wide line is one row');
  assert.equal(rowLengthOf(strided([64, 64], [64, 1]), 'auto', 32), 64, 'no texts in so many cells');
  assert.equal(rowLengthOf(strided([32, 4096], [4096, 1]), 'auto', 32), 512, 'an eighth of a line');
  assert.equal(rowLengthOf(strided([7, 1009], [1009, 1]), 'auto', 32), 1009, 'a prime has no parts');
  assert.equal(rowLengthOf(strided([1, 3, 480, 640], [921_600, 307_200, 640, 1]), 'auto', 8), 640);
  assert.equal(rowLengthOf(strided([1, 3, 480, 640], [921_600, 1, 1920, 3]), 'auto', 8), 1920);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'line', 32), 16);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 'line', 4), 128);
  assert.equal(rowLengthOf(strided([5], [1]), 'auto', 32), 5);
  assert.equal(rowLengthOf(strided([1, 6, 4, 5], [120, 1, 30, 6]), 'auto', 32), 30);
  assert.equal(rowLengthOf(strided([1, 6, 4, 5], [120, 1, 30, 6]), 'auto', 32, 24), 24, 'as many pixels as fit on a phone');
  assert.equal(rowLengthOf(strided([1, 6, 4, 5], [120, 1, 30, 6]), 'auto', 32, 16), 12, 'whole pixels');
  assert.equal(rowLengthOf(strided([1, 6, 4, 5], [120, 20, 5, 1]), 'auto', 32, 16), 10, 'whole lines, and each plane begins a row');
  assert.equal(rowLengthOf(strided([2, 4, 4, 5], [80, 1, 20, 4]), 'auto', 32, 15), 8, 'whole pixels, and each block begins a row');
  assert.equal(rowLengthOf(strided([2, 4, 4, 5], [80, 1, 20, 4]), 'auto', 32, 15, { short: true }), 12, 'two memories share the window');
  assert.equal(rowLengthOf(strided([3, 4], [5, 1]), 'auto', 32, 16, { short: true }), 10, 'not more than there are');
  assert.equal(rowLengthOf(strided([2, 3, 4], [1, 8, 2]), 'auto', 32, 16), 8, 'HWC: a step of h, and larger cells than in rows of 16');
  assert.equal(rowLengthOf(strided([2, 4, 3, 2], [24, 1, 8, 4]), 'auto', 32, 16), 8, 'NCHW4: a block begins a row');
  assert.equal(rowLengthOf(strided([2, 4, 3, 2], [24, 1, 8, 4]), 'auto', 32, 16, { short: true }), 16, 'two memories share the height');
  assert.equal(rowLengthOf(strided([10, 2], [2, 1]), 'auto', 32, 16), 10, 'ten rows of two would have smaller cells');
  assert.equal(rowLengthOf(strided([32, 4096], [4096, 1]), 'auto', 32, 24), 4096, 'no stride is short');
  assert.equal(rowLengthOf(strided([5], [1]), 7.9, 32), 5);
  assert.equal(rowLengthOf(strided(figure, [576, 9, 3, 1]), 7.9, 32), 7);
  assert.equal(rowLengthOf(strided([], []), 'auto', 32), 1);
});

test('a narrow window has as many columns as numbers that can be told apart', () => {
  assert.deepEqual([96, 160, 1152, 20_000].map((addresses) => narrowColumns(390, addresses)), [16, 15, 11, 8]);
  assert.equal(narrowColumns(320, 160), 12);
  assert.equal(narrowColumns(320, 24), 14, 'as wide as a row is high that holds a text');
  for (const addresses of [1, 26, 160, 1152, 10 ** 12]) {
    const columns = narrowColumns(390, addresses);
    const digits = String(addresses - 1).length;
    assert.ok(columns === 1 || fontSizeFor(20, digits, 350 / columns) >= SMALLEST_FONT_CSS, `${addresses}`);
  }
});

test('in a lesson no block ends within a row of memory', () => {
  /** @param {number[]} strides */
  const row = (strides) => lessonRow({ loops: strides.map((stride) => ({ stride })) }, 24);
  assert.equal(row([64, 32, 16, 4, 1]), 16);
  assert.equal(row([72, 36, 12, 4, 1]), 24, 'twelve would leave half of the room empty');
  assert.equal(row([48, 24, 8, 4, 1]), 24);
  assert.equal(row([12, 4, 1]), 24);
  assert.equal(row([5, -1, 0]), 20);
  assert.equal(row([49, 7, 1]), 21, 'none is whole: three lines of a plane');
});
