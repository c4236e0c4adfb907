import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryOrder, pickedTensor } from '../../../../static/core/layout/picked.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { coordinatesOf, randomLayout, seeded } from '../../random-layouts.js';

/** @typedef {import('../../../../static/core/layout/picked.js').Pick} Pick */

/**
 * @param {(below: number) => number} random
 * @param {readonly number[]} shape
 */
function randomPicks(random, shape) {
  /** @type {Pick[]} */
  const picks = [];
  shape.forEach((size, dim) => {
    if (random(4) === 0) picks.push({ dim: null, start: 0, step: 1, count: 1, kept: true });
    if (size > 0 && random(4) === 0) {
      picks.push({ dim, start: random(size), step: 1, count: 1, kept: false });
      return;
    }
    const step = [1, 1, 2, -1, -2][random(5)];
    const start = size === 0 ? 0 : random(size);
    const room = step > 0 ? size - start : start + 1;
    const most = size === 0 ? 0 : Math.ceil(room / Math.abs(step));
    picks.push({ dim, start, step, count: random(most + 1), kept: true });
  });
  return picks;
}

test('a result is the source under other coordinates, there and back', () => {
  const random = seeded(5);
  let elements = 0;
  for (let number = 0; number < 300; number += 1) {
    const source = createTensor(randomLayout(random));
    const picks = randomPicks(random, source.shape);
    const { tensor, toSource, fromSource, placeAt } = pickedTensor(source, picks);
    assert.deepEqual(tensor.shape, picks.filter(({ kept }) => kept).map(({ count }) => count));
    assert.equal(new Set(tensor.dims).size, tensor.shape.length);
    assert.equal(tensor.digits.length, tensor.shape.length);
    const taken = new Map();
    const places = new Map();
    if (tensor.elements > 0) {
      for (const coords of coordinatesOf(tensor.shape)) {
        const there = toSource(coords);
        assert.deepEqual(fromSource(there), [...coords]);
        assert.equal(tensor.addressOf(coords), source.addressOf(there));
        taken.set(there.join(), tensor.linearOf(coords));
        const address = tensor.addressOf(coords);
        if (!places.has(address)) places.set(address, tensor.linearOf(coords));
        elements += 1;
      }
    }
    if (source.elements > 0) {
      for (const coords of coordinatesOf(source.shape)) {
        const found = fromSource(coords);
        assert.equal(found === null ? undefined : tensor.linearOf(found), taken.get(coords.join()));
        const owner = source.ownerOf(source.addressOf(coords));
        if (owner.kind === 'element') assert.equal(placeAt(source.addressOf(coords)) ?? undefined, taken.get(coords.join()));
      }
    }
    for (let address = -1; address <= source.bufferElements; address += 1) {
      const place = placeAt(address);
      if (place !== null) assert.ok(places.has(address), 'only what the slice takes has a place');
    }
  }
  assert.ok(elements > 500, `${elements}`);
});

test('a broadcast dimension: the first of the elements at an address has its place', () => {
  const digits = [[{ extent: 3, stride: 0 }], [{ extent: 4, stride: 1 }]];
  const source = createTensor({ shape: [3, 4], dims: 'HW', digits, offset: 0, buffer: { elements: 4 } });
  const picks = [
    { dim: 0, start: 1, step: 1, count: 2, kept: true },
    { dim: 1, start: 3, step: -1, count: 3, kept: true },
  ];
  const { placeAt } = pickedTensor(source, picks);
  assert.deepEqual([0, 1, 2, 3].map(placeAt), [null, 2, 1, 0]);
});

test('the order in memory counts each address once', () => {
  const order = memoryOrder([7, 3, 3, 100, 0]);
  assert.deepEqual([0, 3, 7, 100].map(order), [0, 1, 2, 3]);
});
