import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { coordinatesOf, describe, fewer, randomLayout, seeded, swizzledLayout } from '../../random-layouts.js';

test('the first owner stands for an address, and what is stored is counted once, in row-major order', () => {
  const random = seeded(20);
  let shared = 0;
  let kept = 0;
  for (let number = 0; number < fewer(1500); number += 1) {
    const plain = randomLayout(random);
    const tensor = createTensor(number % 3 === 0 ? swizzledLayout(random, plain) : plain);
    const text = JSON.stringify(plain);
    /** @type {Map<number, {coords: number[], index: number}>} */
    const firsts = new Map();
    for (const coords of coordinatesOf(tensor.shape)) {
      const address = tensor.addressOf(coords);
      const first = firsts.get(address) ?? { coords, index: firsts.size };
      firsts.set(address, first);
      assert.deepEqual(tensor.firstOwner(coords), first.coords, `${coords} of ${text}`);
      assert.equal(tensor.storedIndexOf(coords), first.index, `${coords} of ${text}`);
      const { firstAlong } = tensor;
      if (firstAlong !== null) assert.deepEqual(coords.map((index, dim) => firstAlong(dim, index)), first.coords);
      if (first.coords !== coords) shared += 1;
      else kept += 1;
    }
    assert.equal(tensor.storedElements(), firsts.size, text);
    if (!tensor.shares) assert.equal(firsts.size, tensor.elements, text);
  }
  assert.ok(shared > 5000 && kept > 5000, `${shared} shared, ${kept} kept`);
});

test('where the engine says that nothing overlaps, nothing is searched for', () => {
  const digits = [[{ extent: 3, stride: 2 }], [{ extent: 3, stride: 3 }]];
  const layout = describe([3, 3], digits, 0);
  assert.equal(createTensor(layout).shares, true, 'unknown without the engine');
  const tensor = createTensor({ ...layout, properties: { overlapping: false } });
  assert.equal(tensor.shares, false);
  assert.deepEqual(tensor.firstOwner([1, 1]), [1, 1]);
});

test('10^12 elements that share a thousand addresses cost no more than ten', () => {
  const digits = [0, 0, 1, 0].map((stride) => [{ extent: 1000, stride }]);
  const tensor = createTensor(describe([1000, 1000, 1000, 1000], digits, 0));
  assert.equal(tensor.storedElements(), 1000);
  assert.equal(tensor.storedIndexOf([999, 3, 77, 5]), 77);
  assert.deepEqual(tensor.firstOwner([999, 3, 77, 5]), [0, 0, 77, 0]);
});

test('windows over 10^9 elements that overlap find their first owners', () => {
  const digits = [30_000, 1, 30_000, 1].map((stride, dim) => [{ extent: dim < 2 ? 10_000 : 3, stride }]);
  const tensor = createTensor(describe([10_000, 10_000, 3, 3], digits, 0));
  assert.deepEqual(tensor.firstOwner([500, 700, 1, 2], 24), [499, 700, 2, 2]);
  assert.deepEqual(tensor.firstOwner([0, 0, 2, 1], 24), [0, 0, 2, 1]);
});
