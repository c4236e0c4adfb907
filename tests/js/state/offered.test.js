import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRowMajor } from '../../../static/api/dense-layout.js';
import { offersFor } from '../../../static/state/half-typed.js';

nameRowMajor(['', 'W', 'HW', 'CHW', 'NCHW']);

/** @param {number} sizes that the layout needs */
const wants = (sizes) => [{ field: /** @type {const} */ ('layout'), about: /** @type {const} */ ('shape'), message: 'expected other sizes', position: null, sizes }];

test('where a layout needs more sizes, a shape with sizes of 1 in front is offered', () => {
  const offers = offersFor('layout', '2,3,4', wants(4), 3);
  assert.deepEqual(offers, [{ words: 'or take the shape 1,2,3,4', fields: { shape: '1,2,3,4' } }]);
  assert.deepEqual(offersFor('layout', '2 x 3', wants(4), 2)[0].fields, { shape: '1,1,2,3' });
});

test('a shape of another rank may have the plain layout of its rank, or sizes of 1 in front', () => {
  assert.deepEqual(offersFor('shape', '2,3', wants(3), 3), [
    { words: 'or take the layout HW', fields: { layout: 'HW', dims: '' } },
    { words: 'or take the shape 1,2,3', fields: { shape: '1,2,3' } },
  ]);
  // What it waits for is no error yet.
  assert.deepEqual(offersFor('shape', '2,3', [], 3).map(({ words }) => words), ['or take the layout HW']);
});

test('nothing is offered where sizes would have to go, nor where the shape is no list of sizes', () => {
  assert.deepEqual(offersFor('layout', '1,2,3,4', wants(3), 4), []);
  assert.deepEqual(offersFor('layout', '2,,4', wants(4), 3), []);
  assert.deepEqual(offersFor('layout', '2,3,4', [], 3), []);
});
