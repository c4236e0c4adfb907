import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gapsOf, gapsWithin, halfBefore } from '../../../../static/core/grid/gaps.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { describe } from '../../random-layouts.js';

/** @typedef {[extent: number, stride: number]} Digit */

/** @type {[name: string, shape: number[], digits: Digit[][], channel: number, row: number, columns: number[], rows: number[]][]} */
const CASES = [
  ['NCHW4', [1, 6, 4, 5], [[[1, 160]], [[2, 80], [4, 1]], [[4, 20]], [[5, 4]]], 1, 20, [4], [4]],
  ['NCHW4 in lines of 16', [1, 6, 4, 5], [[[1, 160]], [[2, 80], [4, 1]], [[4, 20]], [[5, 4]]], 1, 16, [4], [5]],
  ['both blocks in a row', [1, 6, 4, 5], [[[1, 160]], [[2, 80], [4, 1]], [[4, 20]], [[5, 4]]], 1, 160, [4, 80], []],
  ['a row that breaks pixels', [1, 6, 4, 5], [[[1, 160]], [[2, 80], [4, 1]], [[4, 20]], [[5, 4]]], 1, 18, [], []],
  ['NHWC', [1, 6, 4, 5], [[[1, 120]], [[6, 1]], [[4, 30]], [[5, 6]]], 1, 30, [6], []],
  ['NCHW', [1, 6, 4, 5], [[[1, 120]], [[6, 20]], [[4, 5]], [[5, 1]]], 1, 20, [], []],
  ['a row of a pixel', [1, 6, 4, 5], [[[1, 120]], [[6, 1]], [[4, 30]], [[5, 6]]], 1, 6, [], []],
  ['rank 1', [8], [[[8, 1]]], -1, 8, [], []],
  ['rank 0', [], [], -1, 1, [], []],
  ['a million million', [1000, 1000, 1000, 1000], [[[1000, 1e9]], [[1000, 1]], [[1000, 1e6]], [[1000, 1000]]], 1, 2000, [1000], []],
];

for (const [name, shape, digits, channel, row, columns, rows] of CASES) {
  test(`gaps of ${name}`, () => {
    const tensor = createTensor(describe(shape, digits.map((list) => list.map(([extent, stride]) => ({ extent, stride }))), 0));
    const gaps = gapsOf(tensor, channel, row);
    assert.deepEqual([gaps.columns.map(({ cells }) => cells), gaps.rows.map(({ cells }) => cells)], [columns, rows]);
  });
}

test('a gap takes as much from the cell before it as from the one after it', () => {
  const columns = [{ cells: 4, share: 0.2, most_css: 6 }, { cells: 8, share: 0.5, most_css: 9 }];
  assert.deepEqual([0, 1, 4, 8, 12].map((at) => halfBefore(columns, at, 20)), [0, 0, 1.5, 4, 1.5]);
  assert.equal(halfBefore([], 4, 20), 0);
});

test('a gap is within the view where a cell on both sides of it is', () => {
  const rows = [{ cells: 4, share: 0.2, most_css: 6 }];
  assert.deepEqual([[0, 4], [0, 5], [4, 8], [3, 5]].map(([first, end]) => gapsWithin(rows, first, end)), [0, 1, 0, 1]);
});
