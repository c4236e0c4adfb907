import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answerOf } from '../../../../static/state/learn/given.js';

/** @param {string} text */
function number(text) {
  const data = new FormData();
  data.set('number', text);
  return answerOf({ kind: 'number', dims: '' }, data);
}

test('an answer may be written as a sum of products, and is a whole number', () => {
  const answers = [9, -3, 9, 23, -6].map((answer) => ({ answer }));
  assert.deepEqual(['9', ' -3 ', '2*4+1', '2 · 4 + 3×5', '-2*3'].map(number), answers);
  const others = ['', '2+', '1.5', '2**3', '(1+2)*3', 'nine', '1e3', '999999999*999999999'];
  assert.deepEqual(others.map(number), others.map(() => 'Type a whole number.'));
});

test('strides are chosen for each dimension, and cells by their coordinates or addresses', () => {
  const data = new FormData();
  assert.equal(answerOf({ kind: 'strides', dims: 'HW' }, data), 'Choose a stride for each dimension.');
  data.set('stride0', '4');
  data.set('stride1', '1');
  assert.deepEqual(answerOf({ kind: 'strides', dims: 'HW' }, data), { answer: [4, 1] });
  assert.equal(answerOf({ kind: 'cells', dims: '' }, data), 'Mark at least one cell.');
  data.append('cell', '1,2');
  assert.deepEqual(answerOf({ kind: 'cell', dims: '' }, data), { answer: [1, 2] });
});
