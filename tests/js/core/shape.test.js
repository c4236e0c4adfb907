import assert from 'node:assert/strict';
import test from 'node:test';
import { advance, contains, coordsOf, linearOf, productOf, rowMajorWeights, weighted } from '../../../static/core/shape.js';
import { coordinatesOf, seeded } from '../random-layouts.js';

test('indices, coordinates, weights and steps agree on every coordinate of random shapes', () => {
  const random = seeded(5);
  for (let number = 0; number < 200; number += 1) {
    const shape = Array.from({ length: random(6) }, () => 1 + random(4));
    const weights = rowMajorWeights(shape);
    const walked = shape.map(() => 0);
    let linear = 0;
    for (const coords of coordinatesOf(shape)) {
      assert.deepEqual(walked, coords);
      assert.equal(linearOf(shape, coords), linear);
      assert.equal(weighted(weights, coords), linear);
      assert.deepEqual(coordsOf(shape, linear), coords);
      assert.ok(contains(shape, coords));
      const stepped = advance(walked, shape);
      assert.ok(stepped < 0 || walked.slice(stepped + 1).every((index) => index === 0));
      linear += 1;
    }
    assert.equal(linear, productOf(shape));
    assert.deepEqual(walked, shape.map(() => 0), 'after the last comes the first');
  }
});

test('a coordinate as large as its size lies outside', () => {
  assert.equal(contains([2, 3], [1, 3]), false);
  assert.equal(contains([], []), true);
  assert.equal(productOf([]), 1);
  assert.deepEqual(rowMajorWeights([]), []);
});
