import assert from 'node:assert/strict';
import { test } from 'node:test';

import { saidOf, unbroken } from '../../../../static/words/learn/answer.js';

test('each stride of an answer follows its name', () => {
  assert.equal(saidOf([24, 1, 6, 3], 'NCHW'), 'n 24, c 1, h 6, w 3');
  assert.equal(saidOf([1, 4], '01'), 'y.stride(0) = 1, y.stride(1) = 4');
  assert.equal(saidOf(['(8,)', '(4, 2)'], ''), '(8,), (4, 2)');
  assert.equal(saidOf(28, ''), '28');
});

test('a dimension stays with its index, and a line ends in no bracket', () => {
  assert.equal(unbroken('Is c 3 in h 0?'), 'Is c\u00a03 in h\u00a00?');
  assert.equal(unbroken('⌊c/4⌋·24 + (c mod 4)·1'), '⌊c/4⌋·24 + (c\u00a0mod\u00a04)·1');
});
