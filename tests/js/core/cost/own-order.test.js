import assert from 'node:assert/strict';
import test from 'node:test';
import { blockedOrder } from '../../../../static/core/cost/own-order.js';

/** @param {string} dims @param {[number, number | string][][]} digits extents and strides */
const order = (dims, digits) => blockedOrder({ dims, digits: digits.map((own) => own.map(([extent, stride]) => ({ extent, stride }))) });

test('the order of a layout has its blocks where they lie in memory', () => {
  const weights = order('OIHW', [[[4, 13824], [16, 4]], [[6, 2304], [4, 64], [4, 1]], [[3, 768]], [[3, 256]]]);
  assert.equal(weights, 'OIHW4I16O4I');
  assert.equal(order('NCHW', [[[1, 9408]], [[3, 3136], [16, 1]], [[14, 224]], [[14, '16']]]), 'NCHW16C', 'a size of 1 is outermost');
  assert.equal(order('CW', [[[2, '-9007199254740993'], [4, 1]], [[3, 4]]]), 'CW4C');
});

test('a layout without blocks has one of the other orders', () => {
  assert.equal(order('HW', [[[3, 5]], [[5, 1]]]), '');
  assert.equal(order('CW', [[[1, 64], [16, 1]], [[4, 16]]]), '', 'a single block');
});

test('blocks of a dimension that lie otherwise than they count are no loops of a walk', () => {
  assert.equal(order('H', [[[2, 4], [2, 1], [2, 2]]]), '');
});
