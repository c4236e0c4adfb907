import assert from "node:assert/strict";
import { test } from "node:test";

import { relatedLesson } from "../../../../static/state/learn/related.js";

const FACTS = { contiguous: false, broadcast: false, padded: false, channels_last: false };

/** @param {object} known @param {object} [more] */
function shown(known, more = {}) {
  const description = { shape: [2, 3], strides: [3, 1], digits: [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]], properties: FACTS, ...known };
  return /** @type {any} */ ({ memory: { description }, chain: null, ...more });
}

const STATE = /** @type {any} */ ({ a: { slice: "" }, b: null });
const BLOCK = [{ extent: 2, stride: 24 }, { extent: 4, stride: 1 }];
const PLAIN = { shape: [2, 8, 2, 3], strides: null };
const CASES = /** @type {[string, any, any][]} */ ([
  ["row-major", STATE, shown({})],
  ["strides", STATE, shown({ shape: [2, 3, 4] })],
  ["windows", { ...STATE, a: { slice: "1:" } }, shown({})],
  ["reorders", { ...STATE, b: {} }, shown({})],
  ["broadcast", STATE, shown({ properties: { ...FACTS, broadcast: true } })],
  ["flip", STATE, shown({ strides: [3, -1] })],
  ["padding", STATE, shown({ properties: { ...FACTS, padded: true } })],
  ["nhwc", STATE, shown({ properties: { ...FACTS, channels_last: true } })],
  ["transpose", STATE, shown({ properties: { ...FACTS, contiguous: true } }, { chain: {} })],
  ["reshape", STATE, shown({}, { chain: {} })],
  ["nchw4", STATE, shown({ ...PLAIN, digits: [[{ extent: 2, stride: 48 }], BLOCK] })],
  ["nchw4", STATE, shown({ ...PLAIN, digits: [[{ extent: 1, stride: 1 }], BLOCK] })],
  ["chwn4", STATE, shown({ ...PLAIN, digits: [[{ extent: 2, stride: 4 }], BLOCK] })],
]);

for (const [id, state, answer] of CASES) {
  test(`a tensor leads to its lesson, ${id}`, () => assert.equal(relatedLesson(state, answer), id));
}

test("nothing known leads nowhere", () => assert.equal(relatedLesson(STATE, null), null));
