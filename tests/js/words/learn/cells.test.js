import assert from 'node:assert/strict';
import test from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { nameIn, saidOfPlanes } from '../../../../static/words/learn/cells.js';
import { describe } from '../../random-layouts.js';

/** Two columns. @param {number} row the stride of three rows */
const tensor = (row) => createTensor({ ...describe([3, 2], [[{ extent: 3, stride: row }], [{ extent: 2, stride: 1 }]], 0), dims: 'HW' });

test('elements that share places have letters, all others their numbers', () => {
  const shown = { at: [2, 1], numbered: true, picks: null };
  assert.deepEqual([nameIn(tensor(2), [2, 1]), saidOfPlanes(tensor(2), shown)], ['5', 'numbered row by row']);
  assert.deepEqual([nameIn(tensor(0), [2, 1]), saidOfPlanes(tensor(0), shown)], ['B', 'same letter: same address']);
  assert.equal(saidOfPlanes(tensor(0), { ...shown, numbered: false, picks: 'radio' }), 'framed: h 2, w 1');
});
