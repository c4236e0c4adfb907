import assert from 'node:assert/strict';
import test from 'node:test';
import { denseLayout, nameRowMajor } from '../../../static/api/dense-layout.js';

nameRowMajor(['()', 'W', 'HW', 'CHW', 'NCHW', 'NCDHW']);

test('a rank that has letters is written by them', () => {
  assert.deepEqual([[], [2], [2, 3], [2, 3, 4], [2, 3, 4, 5], [2, 3, 4, 5, 6]].map((shape) => denseLayout(shape)),
    ['()', 'W', 'HW', 'CHW', 'NCHW', 'NCDHW']);
});

test('other orders and ranks are written by strides, exact at any length', () => {
  assert.equal(denseLayout([2, 3, 4], 'column-major'), '1,2,6');
  assert.equal(denseLayout([], 'column-major'), '()');
  assert.equal(denseLayout([2, 1, 2, 2, 0, 3]), '12,12,6,3,3,1');
  assert.equal(denseLayout([2, 2, 2, 2, 3, '9007199254740993']).split(',')[4], '9007199254740993');
});
