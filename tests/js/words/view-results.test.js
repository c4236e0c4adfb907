import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizesText } from '../../../static/words/numbers.js';
import { resultText } from '../../../static/words/view-results.js';

test('a result in one line, with brackets for blocks', () => {
  const digits = [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]];
  assert.equal(resultText({ shape: [2, 3], offset: 0, strides: [3, 1], digits }), '(2,3):(3,1)');
  assert.equal(resultText({ shape: [2, 3], offset: 4, strides: [3, -1], digits }), '(2,3):(3,-1) + 4');
  assert.equal(resultText({ shape: [], offset: '9007199254740993', strides: [], digits: [] }), '():() + 9007199254740993');
  const blocked = [[{ extent: 2, stride: 72 }], [{ extent: 2, stride: 36 }, { extent: 4, stride: 1 }]];
  assert.equal(resultText({ shape: [2, 6], offset: 0, strides: null, digits: blocked }), '(2,(2,4)):(72,(36,1))');
  assert.equal(sizesText([2, 3]), '2 × 3');
  assert.equal(sizesText([]), 'one element');
});
