import assert from 'node:assert/strict';
import test from 'node:test';
import { sliceJson, sliceMembers, windowOf } from '../../../static/api/slice-text.js';

/** @param {string} text @param {number[]} shape */
function chosen(text, shape) {
  const members = sliceMembers(text, shape);
  assert.ok(members, text);
  return members.map(({ start, step, count }) => Array.from({ length: count }, (_, at) => start + at * step));
}

// Expected lists are what NumPy answers for np.arange(n)[text].
for (const [text, extent, expected] of /** @type {[string, number, number[]][]} */ ([
  [':', 4, [0, 1, 2, 3]],
  ['::-1', 4, [3, 2, 1, 0]],
  ['1:3', 4, [1, 2]],
  ['-3:-1', 4, [1, 2]],
  ['::2', 5, [0, 2, 4]],
  ['::-2', 5, [4, 2, 0]],
  ['3::-2', 5, [3, 1]],
  ['10:', 4, []],
  ['-10:2', 4, [0, 1]],
  ['10::-3', 8, [7, 4, 1]],
  [':1:-1', 4, [3, 2]],
  ['2', 4, [2]],
  ['-1', 4, [3]],
])) {
  test(`np.arange(${extent})[${text}]`, () => {
    assert.deepEqual(chosen(text, [extent]), [expected]);
  });
}

test('an ellipsis fills what is not named, None names nothing', () => {
  assert.deepEqual(chosen('..., 1', [2, 2, 3]), [[0, 1], [0, 1], [1]]);
  assert.deepEqual(chosen('1, ..., None, 0', [2, 2, 3]), [[1], [0, 1], [0]]);
  assert.deepEqual(chosen('1', [2, 2, 3]), [[1], [0, 1], [0, 1, 2]]);
  assert.deepEqual(chosen('[0, 1:]', [2, 2]), [[0], [1]]);
});

test('the worked windows of DML_SLICE1', () => {
  assert.deepEqual(chosen('0,0,0,1; 1,1,4,3; 1,1,2,2', [1, 1, 4, 4]), [[0], [0], [0, 2], [1, 3]]);
  assert.deepEqual(chosen('0,0,0,1; 1,1,4,3; 1,1,-2,2', [1, 1, 4, 4]), [[0], [0], [3, 1], [1, 3]]);
});

test('a window may take fewer than it can reach, and may carry its names', () => {
  assert.deepEqual(chosen('offsets 1; sizes 6; strides 2; output_sizes 2', [8]), [[1, 3]]);
});

test('what is no range selects nothing to highlight', () => {
  for (const text of ['a', '1:2:0', '0, 0, 0', '1.5', '[[0,1]]']) assert.equal(sliceMembers(text, [4, 4]), null, text);
});

test('the request names a window or an index', () => {
  assert.equal(windowOf('0, ::-1, 1:3'), null);
  assert.equal(sliceJson(' 0, ::-1 '), '"index": "0, ::-1"');
  assert.deepEqual(JSON.parse(`{${sliceJson('0,1; 2,3; -1,1')}}`), {
    window: { offsets: [0, 1], sizes: [2, 3], strides: [-1, 1] },
  });
});
