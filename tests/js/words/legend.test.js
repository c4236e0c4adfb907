import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { rowTexts, spaceText } from '../../../static/words/grids/legend.js';
import { describe } from '../random-layouts.js';

/** @param {string} dims @param {number[]} shape @param {[extent: number, stride: number][][]} digits */
function tensorOf(dims, shape, digits) {
  const layout = describe(shape, digits.map((list) => list.map(([extent, stride]) => ({ extent, stride }))), 0);
  return createTensor({ ...layout, dims });
}

const IMAGE = tensorOf('NCHW', [1, 8, 3, 4], [[[1, 96]], [[2, 48], [4, 1]], [[3, 16]], [[4, 4]]]);
const WEIGHTS = tensorOf('OIHW', [16, 8, 1, 1], [[[16, 4]], [[2, 64], [4, 1]], [[1, 1]], [[1, 1]]]);

/** @param {string[]} signs @param {number} row @param {import('../../../static/core/types.js').Tensor} tensor */
const seen = (signs, row, tensor, grid = /** @type {'logical' | 'a' | 'b'} */ ('a')) => ({ grid, signs: new Set(signs), rowLength_elems: row, tensor });

test('a space says after what it comes: a pixel where channels are neighbours, else so many of a dimension', () => {
  assert.equal(spaceText([seen(['pixels'], 16, IMAGE)]), 'space after each pixel');
  assert.equal(spaceText([seen(['pixels', 'blocks'], 64, WEIGHTS)]), 'space after each 4 i, between blocks');
  assert.equal(spaceText([seen(['blocks'], 0, WEIGHTS, 'logical'), seen([], 64, WEIGHTS)]), 'space between blocks');
  assert.equal(spaceText([seen([], 64, WEIGHTS)]), '');
});

test('rows say which step they are, of each memory where they differ', () => {
  assert.deepEqual(rowTexts([seen([], 0, IMAGE, 'logical'), seen([], 16, IMAGE)]), ['row of 16, a step of h']);
  assert.deepEqual(rowTexts([seen([], 32, IMAGE)]), ['row of 32, 2 steps of h']);
  assert.deepEqual(rowTexts([seen([], 16, IMAGE), seen([], 64, WEIGHTS, 'b')]), ['row A of 16, a step of h', 'row B of 64, a step of i']);
  const planes = tensorOf('NCHW', [1, 6, 4, 4], [[[1, 96]], [[6, 16]], [[4, 4]], [[4, 1]]]);
  assert.deepEqual(rowTexts([seen([], 16, planes), seen([], 16, IMAGE, 'b')]), ['row of 16: a step of c in A, of h in B']);
  assert.deepEqual(rowTexts([seen([], 32, planes), seen([], 32, IMAGE, 'b')]), ['row of 32: 2 steps of c in A, of h in B']);
  assert.deepEqual(rowTexts([seen([], 16, IMAGE), seen([], 16, IMAGE, 'b')]), ['row of 16, a step of h']);
  const close = tensorOf('NCHW', [1, 2, 8, 8], [[[1, 128]], [[2, 64]], [[8, 8]], [[8, 1]]]);
  assert.deepEqual(rowTexts([seen([], 16, close), seen([], 16, IMAGE, 'b')]), ['row of 16: 2 steps of h in A, a step of h in B']);
  const odd = tensorOf('NC', [3, 7], [[[3, 7]], [[7, 1]]]);
  assert.deepEqual(rowTexts([seen([], 16, odd), seen([], 16, IMAGE, 'b')]), ['row of 16: a step of h in B']);
});
