import assert from 'node:assert/strict';
import test from 'node:test';
import { readRows } from '../../../static/words/found.js';

const READ = { system: 'strides', shape: null, dtype: null, layout: null, strides: null, tensors: [], left_out: 0, steps: [], unread: [] };

/**
 * @param {string} shape
 * @param {number[]} strides
 */
function layoutRow(shape, strides) {
  const before = { shape, layout: 'CHW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' };
  const rows = readRows({ ...READ, layout: `(${strides.join(', ')})`, strides }, before, null, 0);
  return Object.fromEntries(rows).Layout;
}

test('strides that do not fit the sizes ask for the shape', () => {
  assert.equal(layoutRow('2,3,4', [3072, 1, 96, 3]), '4 strides, the shape has 3: type the shape');
  assert.equal(layoutRow('(2, 3)', [1]), '1 stride, the shape has 2: type the shape');
});

test('strides that fit are to be chosen where nothing is taken at once', () => {
  assert.equal(layoutRow('2,3', [24, 8]), 'to be chosen from the list');
});

test('an offset that the text does not name is a row', () => {
  const before = { shape: '2,3', layout: 'HW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' };
  const rows = Object.fromEntries(readRows({ ...READ, layout: '(3, -1)+2', strides: [3, -1], least_offset: 2 }, before, null, 0));
  assert.equal(rows.Offset, 'not said: +2, the least that these strides need');
});
