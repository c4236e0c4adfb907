import assert from "node:assert/strict";
import { test } from "node:test";

import { createTensor } from "../../../../static/core/layout/tensor.js";
import { Touched } from "../../../../static/core/strip/touched.js";
import { addressByDefinition, coordinatesOf, describe, randomLayout, seeded, swizzledLayout } from "../../random-layouts.js";

/** @typedef {import("../../../../static/core/types.js").SliceDim} SliceDim */

/** @param {(below: number) => number} random @param {number} size @returns {SliceDim} */
function randomSlice(random, size) {
  const step = (1 + random(3)) * (random(2) ? 1 : -1);
  const count = size === 0 ? 0 : 1 + random(Math.max(1, Math.ceil(size / Math.abs(step))));
  const reach = (Math.max(1, count) - 1) * Math.abs(step);
  const room = Math.max(0, size - 1 - reach);
  const low = random(room + 1);
  return { start: step > 0 ? low : low + reach, step, count };
}

test("a place is marked exactly where the slice takes one of its addresses", () => {
  const random = seeded(20261122);
  for (let round = 0; round < 400; round += 1) {
    const plain = randomLayout(random);
    const layout = round % 4 === 3 ? swizzledLayout(random, plain) : plain;
    if (layout.buffer.elements === 0) continue;
    const slice = layout.shape.map((size) => randomSlice(random, size));
    const places = 1 + random(2 * layout.buffer.elements);
    const touched = new Touched(createTensor(layout), slice, places);
    while (!touched.done) touched.advance(7);
    const expected = new Uint8Array(places);
    for (const at of coordinatesOf(slice.map(({ count }) => count))) {
      const address = addressByDefinition(layout, at.map((index, dim) => slice[dim].start + slice[dim].step * index));
      expected[Math.floor((address / layout.buffer.elements) * places)] = 1;
    }
    assert.deepEqual(touched.marks, expected, `round ${round}`);
  }
});

test("10^12 elements cost about what the places cost", () => {
  const strides = [1000, 1, 1e6, 1e3].map((stride, dim) => [{ extent: 1000, stride: dim === 0 ? 1e9 : stride }]);
  const tensor = createTensor(describe([1000, 1000, 1000, 1000], strides, 0));
  const all = { start: 0, step: 1, count: 1000 };
  let boxes = 0;
  const touched = new Touched(tensor, [all, { start: 3, step: 1, count: 1 }, all, { start: 999, step: -7, count: 100 }], 960);
  for (; !touched.done; boxes += 1) touched.advance(1);
  assert.ok(touched.marks.every((mark) => mark === 1));
  assert.ok(boxes < 960 * 40, `${boxes} boxes`);
});
