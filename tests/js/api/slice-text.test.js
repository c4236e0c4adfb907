import assert from 'node:assert/strict';
import test from 'node:test';
import { sliceJson } from '../../../static/api/slice-text.js';

/** @param {string} text */
const sent = (text) => JSON.parse(`{${sliceJson(text)}}`);

test('an index expression is sent as typed, without its brackets', () => {
  assert.equal(sliceJson(' 0, ::-1 '), '"index": "0, ::-1"');
  assert.deepEqual(sent('[..., None, 1:3]'), { index: '..., None, 1:3' });
  assert.deepEqual(sent('0; 1'), { index: '0; 1' });
});

test('three lists are a window, four one with its output sizes', () => {
  assert.deepEqual(sent('0,1; 2,3; -1,1'), { window: { offsets: [0, 1], sizes: [2, 3], strides: [-1, 1] } });
  assert.deepEqual(sent('offsets 1; sizes 6; strides 2; output_sizes 2'), {
    window: { offsets: [1], sizes: [6], strides: [2], output_sizes: [2] },
  });
});

test('integers of any length stay exact, and what is none is left to the API', () => {
  assert.equal(sliceJson('9007199254740993; 1; 1'), '"window": {"offsets": [9007199254740993], "sizes": [1], "strides": [1]}');
  assert.deepEqual(sent('x1; 1; 1.5').window, { offsets: [1], sizes: [1], strides: ['1.5'] });
});
