import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptAddresses } from '../../../../static/core/layout/kept.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { coordinatesOf, describe, randomLayout, seeded, swizzledLayout } from '../../random-layouts.js';

/** @typedef {import('../../../../static/core/types.js').Tensor} Tensor */

/**
 * @param {readonly number[]} shape
 * @param {readonly number[]} strides
 * @param {number} [offset]
 */
function strided(shape, strides, offset = 0) {
  return createTensor(describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), offset));
}

/** @param {Tensor} a @param {Tensor} b */
function counted(a, b) {
  return [...coordinatesOf(a.shape)].filter((coords) => a.addressOf(coords) === b.addressOf(coords)).length;
}

test('the count is that of comparing every element', () => {
  const random = seeded(21);
  let [some, all] = [0, 0];
  for (let number = 0; number < 1500; number += 1) {
    const plain = randomLayout(random);
    const other = { ...plain, digits: plain.digits.map((list) => list.map(({ extent, stride }) => ({ extent, stride: random(2) ? stride : random(9) }))) };
    const swizzled = [plain, describe(other.shape, other.digits, random(2) ? plain.offset : random(4), 0)];
    const [a, b] = random(3) === 0 ? swizzled.map((one) => createTensor(swizzledLayout(random, one))) : swizzled.map(createTensor);
    const kept = counted(a, b);
    assert.deepEqual(keptAddresses(a, b), { kept, elements: a.elements, exact: true });
    if (kept > 0 && kept < a.elements) some += 1;
    if (kept > 0 && kept === a.elements) all += 1;
  }
  assert.ok(some > 200 && all > 50, `${some} ${all}`);
});

test('named layouts', () => {
  const nchw = strided([2, 64, 3, 3], [576, 9, 3, 1]);
  const nhwc = strided([2, 64, 3, 3], [576, 1, 192, 64]);
  assert.deepEqual(keptAddresses(nchw, nhwc), { kept: counted(nchw, nhwc), elements: 1152, exact: true });
  assert.equal(keptAddresses(nchw, nchw).kept, 1152);
  assert.equal(keptAddresses(nchw, strided([2, 64, 3, 3], [576, 9, 3, 1], 1)).kept, 0);
});

test('a large tensor is counted where its dimensions allow it, else estimated', () => {
  const shape = [1000, 1000, 1000, 1000];
  const nchw = strided(shape, [1e9, 1e6, 1e3, 1]);
  assert.deepEqual(keptAddresses(nchw, nchw), { kept: 1e12, elements: 1e12, exact: true });
  assert.deepEqual(keptAddresses(nchw, strided(shape, [1e9, 1e6, 1, 1e3])), { kept: 1e9, elements: 1e12, exact: true });
  const nhwc = keptAddresses(nchw, strided(shape, [1e9, 1, 1e6, 1e3]));
  assert.equal(nhwc.exact, false);
  assert.ok(nhwc.kept < 1e12 / 1000);
  // The first image of two stays, the second moves.
  const split = (/** @type {number} */ outer) =>
    createTensor(describe([2, 2 ** 18, 2 ** 18], [[{ extent: 2, stride: outer }], [{ extent: 2 ** 18, stride: 2 ** 18 }], [{ extent: 2 ** 18, stride: 1 }]], 0));
  const half = keptAddresses(split(2 ** 36), split(2 ** 37));
  assert.deepEqual(half, { kept: 2 ** 36, elements: 2 ** 37, exact: true });
});

test('the estimate is near the truth', () => {
  const swizzle = { bits: 3, base: 0, shift: 3 };
  const plain = describe([64, 64, 64], [[{ extent: 64, stride: 4096 }], [{ extent: 64, stride: 64 }], [{ extent: 64, stride: 1 }]], 0);
  const { kept, exact } = keptAddresses(createTensor(plain), createTensor({ ...plain, swizzle }));
  assert.equal(exact, false);
  assert.ok(Math.abs(kept / 64 ** 3 - 1 / 8) < 0.01, `${kept / 64 ** 3}: rows of which three bits are 0`);
});
