import assert from 'node:assert/strict';
import test from 'node:test';
import { received } from '../../../static/state/pasted.js';
import { parseState } from '../../../static/state/permalink.js';
import { foundWords, readRows } from '../../../static/words/found.js';

const READ = { system: 'strides', shape: null, dtype: null, layout: null, strides: null, tensors: [], left_out: 0, steps: [], unread: [] };

/**
 * @param {string} shape
 * @param {number[]} strides
 */
function rowsOf(shape, strides) {
  const before = { shape, layout: 'CHW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' };
  const rows = readRows({ ...READ, layout: `(${strides.join(', ')})`, strides }, before, null, 0);
  return Object.fromEntries(rows);
}

test('strides that do not fit the sizes ask for the shape', () => {
  assert.equal(rowsOf('2,3,4', [3072, 1, 96, 3]).Shape, 'not said: 4 sizes, to be typed next');
  assert.equal(rowsOf('(2, 3)', [1]).Shape, 'not said: 1 size, to be typed next');
});

test('strides that fit are to be chosen where nothing is taken at once', () => {
  assert.equal(rowsOf('2,3', [24, 8]).Shape, 'not said: 2,3 stays');
  assert.equal(rowsOf('2,3', [24, 8]).Layout, 'to be chosen from the list');
});

test('an offset that the text does not name is a row', () => {
  const before = { shape: '2,3', layout: 'HW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' };
  const rows = Object.fromEntries(readRows({ ...READ, layout: '(3, -1)+2', strides: [3, -1], least_offset: 2 }, before, null, 0));
  assert.equal(rows.Offset, 'not said: +2, the least that these strides need');
});

test('a type of the one size that the text says is shown as such', () => {
  const before = { shape: '2,3', layout: 'HW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' };
  const one = { role: null, source: null, line: 1, times: 1, shape: [2, 3], dtype: null, layout: 'ptr[16b](0x0) o (2,3):(3,1)', dims: null, itemsizes: [2], strides: null, target: null, problem: null, in_elements: null };
  const answer = { ...READ, system: 'cute', shape: [2, 3], layout: one.layout, tensors: [one] };
  const { pasted, taken } = received({ ...parseState(''), a: before }, answer);
  assert.equal(taken?.after.dtype, 'float16');
  assert.equal(pasted, null);
  assert.equal(Object.fromEntries(readRows(answer, before, taken?.after ?? null, 0)).Type, '2 bytes, as float16');
  assert.equal(foundWords([one], 0).dtype, '2 bytes each');
});
