import assert from 'node:assert/strict';
import test from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { sliceRows, sliceSumText } from '../../../../static/words/facts/sliced.js';
import { describe } from '../../random-layouts.js';

/** Rows of three, of int4 so that a byte is not whole. @param {number} itemsize_bits */
function rows(itemsize_bits) {
  const digits = [[{ extent: 4, stride: 3 }], [{ extent: 3, stride: 1 }]];
  return { tensor: createTensor({ ...describe([4, 3], digits, 0), dims: 'HW' }), itemsize_bits };
}

/** @typedef {import('../../../../static/api/types.js').SliceAnswer} SliceAnswer */

/** @param {Partial<SliceAnswer>} more @returns {SliceAnswer} every other row */
function everyOtherRow(more = {}) {
  const picks = [{ dim: 0, kept: true, start: 0, step: 2, count: 2 }, { dim: 1, kept: true, start: 0, step: 1, count: 3 }];
  const view = /** @type {import('../../../../static/api/types.js').Description} */ (/** @type {unknown} */ ({ offset: 0, strides: [6, 1], layout: '(6, 1)' }));
  return { shape: [2, 3], offsets: [0, 1, 2, 6, 7, 8], view, picks, ...more };
}

test('a slice is said by its shape, its view, its addresses and its bytes', () => {
  assert.deepEqual(sliceRows(everyOtherRow(), rows(32)), [
    ['Result', '2 × 3'],
    ['View', 'strides 6, 1 from 0'],
    ['Addresses', '0, 1, 2, 6, 7, 8'],
    ['Bytes', '24 used of 36 spanned'],
  ]);
});

test('a part of a byte is a byte that is used', () => {
  assert.equal(sliceRows(everyOtherRow(), rows(4))[3][1], '3 used of 5 spanned');
});

test('many addresses are shortened, and their number is said', () => {
  const offsets = [0, 1, 2, 3, 4, 5, 6, '7'];
  assert.equal(sliceRows(everyOtherRow({ offsets }), rows(32))[2][1], '0, 1, 2, 3, 4, 5, … 7 (8)');
  assert.equal(sliceRows(everyOtherRow({ offsets: [] }), rows(32))[2][1], 'none');
});

test('of a view with blocks the strides of their parts are said, unless a swizzle moves its elements', () => {
  const digits = [[{ extent: 2, stride: 80 }, { extent: 4, stride: 1 }], [{ extent: 2, stride: 20 }], [{ extent: 3, stride: 8 }]];
  const blocked = /** @type {any} */ ({ shape: [6, 2, 3], offset: 20, strides: null, digits, swizzle: null, layout: 'mlir:memref' });
  const views = [blocked, { ...blocked, swizzle: {}, layout: 'cute:Swizzle' }].map((view) => sliceRows(everyOtherRow({ view }), rows(32))[1][1]);
  assert.deepEqual(views, ['strides (80, 1), 20, 8 from 20', 'cute:Swizzle']);
});

test('without a view the elements are gathered, and without a tensor nothing is counted', () => {
  const [, view, , bytes] = sliceRows(everyOtherRow({ view: null }), null);
  assert.deepEqual([view[1], bytes[1]], ['none: a copy, the elements must be gathered', 'not counted']);
});

test('beside the answer to a tensor of another rank, which was there before, nothing is counted', () => {
  const picks = [{ dim: 0, kept: true, start: 0, step: 1, count: 2 }, { dim: 1, kept: true, start: 0, step: 1, count: 1 }, { dim: 2, kept: true, start: 0, step: 1, count: 3 }];
  assert.equal(sliceRows(everyOtherRow({ picks }), rows(32))[3][1], 'not counted');
});

test('the sum of an element of a slice begins with its offset and goes by its strides', () => {
  /** @param {object} of @returns {SliceAnswer} */
  const sliced = (of) => everyOtherRow({ view: /** @type {import('../../../../static/api/types.js').Description} */ (of) });
  assert.equal(sliceSumText(sliced({ offset: 25, strides: [20, -2] }), [1, 3], 39), '39 = 25 + 1·20 − 3·2');
  assert.equal(sliceSumText(sliced({ offset: 7, strides: [] }), [], 7), '7 = 7');
  const large = sliced({ offset: 0, strides: ['9007199254740993', 1] });
  assert.equal(sliceSumText(large, [0, 5], 5), '5 = 0 + 0·9 007 199 254 740 993 + 5·1'.replace(/(?<=\d) (?=\d)/g, '\u202f'));
});

test('no sum is said of a copy, of a layout without strides and of another tensor', () => {
  assert.equal(sliceSumText(everyOtherRow({ view: null }), [0, 1], 1), '');
  assert.equal(sliceSumText(everyOtherRow(), [1, 2], 8), '8 = 0 + 1·6 + 2·1');
  assert.equal(sliceSumText(everyOtherRow(), [1, 2], 9), '');
});
