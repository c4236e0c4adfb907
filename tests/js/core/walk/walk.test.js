import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { countersOf, movedLoop } from '../../../../static/core/walk/counters.js';
import { movedTo, orderText, readOrder } from '../../../../static/core/walk/order.js';
import { loopWalk, memoryWalk, stepWithin } from '../../../../static/core/walk/walk.js';
import { withCounted, steps as counted } from '../../counted.js';
import { addressByDefinition, coordinatesOf, describe, ownersByEnumeration, randomLayout, seeded, swizzledLayout } from '../../random-layouts.js';

/** @param {(below: number) => number} random @param {number} count */
function randomOrder(random, count) {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

test('a loop walk is the nested loops, and its steps are found again', () => {
  const random = seeded(31);
  let visited = 0;
  for (let number = 0; number < 300; number += 1) {
    const plain = randomLayout(random);
    const layout = random(4) === 0 ? swizzledLayout(random, plain) : plain;
    const tensor = createTensor(layout);
    const order = randomOrder(random, tensor.shape.length);
    const walk = loopWalk(tensor, order);
    let step = 0;
    for (const places of coordinatesOf(order.map((dim) => tensor.shape[dim]))) {
      const coords = tensor.shape.map((_, dim) => places[order.indexOf(dim)]);
      const visit = walk.at(step);
      assert.deepEqual(visit.coords, coords);
      assert.equal(visit.address, addressByDefinition(layout, coords));
      assert.equal(walk.stepOf(coords), step);
      assert.deepEqual(countersOf(walk, visit).map(({ index }) => index), places);
      const advanced = places.findLastIndex((place) => place > 0);
      assert.equal(movedLoop(walk, visit), step === 0 ? -1 : advanced, `step ${step}`);
      step += 1;
    }
    assert.equal(walk.steps, step);
    assert.equal(walk.stepAt(0), null);
    visited += step;
  }
  assert.ok(visited > 3000, `${visited}`);
});

test('a memory walk meets every address, padding and gaps too, and a shared one once', () => {
  const random = seeded(32);
  const met = new Set();
  for (let number = 0; number < 300; number += 1) {
    const plain = randomLayout(random);
    const layout = random(4) === 0 ? swizzledLayout(random, plain) : plain;
    const walk = memoryWalk(createTensor(layout));
    const owners = ownersByEnumeration(layout);
    assert.equal(walk.steps, owners.length);
    owners.forEach(({ kind, coords, count }, step) => {
      const owned = kind === 'element' || kind === 'shared';
      assert.deepEqual(walk.at(step), { step, address: step, kind, coords: owned ? coords : null, count });
      assert.equal(walk.stepAt(step), step);
      if (owned && coords) assert.equal(walk.stepOf(coords), step);
      met.add(kind);
    });
  }
  assert.deepEqual([...met].sort(), ['element', 'gap', 'padding', 'shared']);
});

test('by address, the counters are the digits of the layout: block after block', () => {
  const digits = [[{ extent: 2, stride: 8 }, { extent: 4, stride: 1 }], [{ extent: 2, stride: 4 }]];
  const walk = memoryWalk(createTensor({ shape: [6, 2], dims: 'CW', digits, offset: 0, buffer: { elements: 16 } }));
  /** @param {number} step */
  const text = (step) => countersOf(walk, walk.at(step)).map(({ name, index }) => `${name} ${index}`).join(', ');
  assert.equal(text(0), '⌊c/4⌋ 0, w 0, (c mod 4) 0');
  assert.equal(text(7), '⌊c/4⌋ 0, w 1, (c mod 4) 3');
  assert.equal(text(10), '⌊c/4⌋ 1, w 0, (c mod 4) 2', 'padding has its place, too');
  assert.deepEqual([1, 4, 8].map((step) => movedLoop(walk, walk.at(step))), [2, 1, 0]);
  const spread = memoryWalk(createTensor(describe([3], [[{ extent: 3, stride: 2 }]], 0)));
  assert.deepEqual(countersOf(spread, spread.at(1)), [], 'a gap');
});

test('an order is read from letters or names, and says what is wrong', () => {
  const dims = ['N', 'C', 'H', 'W'];
  /** @param {string} text @param {readonly string[]} [of] */
  const read = (text, of = dims) => readOrder(text, of);
  assert.deepEqual(read('NHWC'), { order: [0, 2, 3, 1] });
  assert.deepEqual(read(' n, h ▸ w-c '), { order: [0, 2, 3, 1] });
  assert.deepEqual(read('NHW'), { problem: 'missing', name: 'C' });
  assert.deepEqual(read('NHWCC'), { problem: 'twice', name: 'C' });
  assert.deepEqual(read('NHWX'), { problem: 'unknown', name: 'X' });
  assert.deepEqual(read('batch x', ['batch', 'x']), { order: [0, 1] });
  assert.deepEqual(read('', []), { order: [] });
  assert.equal(orderText([0, 2, 3, 1], dims), 'NHWC');
  assert.equal(orderText([1, 0], ['batch', 'x']), 'x batch');
  assert.deepEqual([[0, 3], [3, 0], [1, 2], [0, 9], [2, -1]].map(([from, to]) => movedTo([5, 6, 7, 8], from, to).join('')), ['6785', '8567', '5768', '6785', '7568']);
});

test('any step of 10^12 is decoded in a step for each dimension', () =>
  withCounted(async (load) => {
    const { createTensor: create } = await load('core/layout/tensor.js');
    const { loopWalk: loops, memoryWalk: memory } = await load('core/walk/walk.js');
    const { countersOf: counters, movedLoop: moved } = await load('core/walk/counters.js');
    const size = 1000;
    const digits = [1e6, 1, 1e3, 1e9].map((stride) => [{ extent: size, stride }]);
    const tensor = create({ shape: [size, size, size, size], dims: 'NCHW', digits, offset: 0, buffer: { elements: 1e12 } });
    for (const walk of [loops(tensor, [0, 2, 3, 1]), memory(tensor)]) {
      for (const step of [0, 1, 999_999, 123_456_789_012, 1e12 - 1]) {
        counted.restart(200);
        const visit = walk.at(step);
        assert.equal(walk.stepOf(visit.coords), step);
        counters(walk, visit);
        moved(walk, visit);
      }
      assert.equal(stepWithin(walk, 1e15), 1e12 - 1);
      assert.equal(stepWithin(walk, -3), 0);
      assert.equal(stepWithin(walk, 2.7), 2);
    }
    const [n, c, h, w] = loops(tensor, [0, 2, 3, 1]).at(123_456_789_012).coords;
    assert.deepEqual([n, h, w, c], [123, 456, 789, 12]);
  }));

test('an order in a, b, c … is read of named dimensions too, but not where they have these names', () => {
  assert.deepEqual(readOrder('acdb', ['N', 'C', 'H', 'W']), { order: [0, 2, 3, 1] });
  assert.deepEqual(readOrder('abc', ['C', 'A', 'B']), { order: [1, 2, 0] });
  assert.deepEqual(readOrder('abc', ['N', 'C', 'H', 'W']), { problem: 'unknown', name: 'a' });
  assert.deepEqual(readOrder('nq', ['N', 'C']), { problem: 'unknown', name: 'q' });
});
