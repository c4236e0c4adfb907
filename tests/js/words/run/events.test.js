import assert from "node:assert/strict";
import { test } from "node:test";

import { explorerHref, layoutText, namesTensors, placeText, reorderQuery, shareText, sizesOf, timeText, TITLES } from "../../../../static/words/run/events.js";

const OPERAND = { role: "dst", shape: [2, 3], dtype: "float32", layout: "onednn:ab", bytes: 24, at_least: false };
const EVENT = { index: 0, primitive: "reorder", implementation: "", prop: "", operands: [OPERAND, OPERAND], auxiliary: "", problem: "", ms: 1, within: null, is_reorder: true };

test("times have the unit that reads best", () => {
  const table = /** @type {const} */ ([[null, "no time"], [0.0068, "6.8 µs"], [0, "0 µs"], [-0.25, "-250 µs"], [1.5, "1.5 ms"], [123456, "123.5 s"]]);
  for (const [ms, text] of table) assert.equal(timeText(ms), text);
  assert.equal(shareText(1, 3), "33 %");
  assert.equal(shareText(1, 0), "");
});

test("an operand leads to the explorer where the log says enough", () => {
  assert.equal(explorerHref(OPERAND), "/?shape=2%2C3&layout=onednn%3Aab&dtype=float32");
  assert.equal(explorerHref({ ...OPERAND, layout: null }), null);
  assert.equal(explorerHref({ ...OPERAND, shape: null }), null);
  assert.deepEqual([layoutText(OPERAND), layoutText({ ...OPERAND, layout: null }), sizesOf(OPERAND)], ["ab", "not said", "2x3"]);
});

test("a reorder leads to its two memories where sizes and type stay", () => {
  const target = { ...OPERAND, layout: "onednn:ba" };
  const query = (/** @type {Partial<typeof EVENT>} */ more) => reorderQuery({ ...EVENT, operands: [OPERAND, target], ...more });
  assert.equal(query({}), "shape=2%2C3&layout=onednn%3Aab&dtype=float32&b-layout=onednn%3Aba");
  assert.equal(query({ is_reorder: false }), null);
  const others = [{ ...target, shape: [3, 2] }, { ...target, dtype: "float16" }, { ...target, layout: null }];
  for (const other of others) assert.equal(query({ operands: [OPERAND, /** @type {typeof OPERAND} */ (other)] }), null);
  assert.equal(query({ operands: [OPERAND] }), null);
});

test("an operator of a trace has a module and a line", () => {
  assert.equal(placeText({ ...EVENT, problem: "block.conv", auxiliary: "model.py:42" }), "block.conv, model.py:42");
  assert.equal(placeText({ ...EVENT, auxiliary: "model.py:42" }), "model.py:42");
});

test("a refusal ends in one full stop before the tensors that its text names", () => {
  const after = " It names tensors, which the explorer shows:";
  assert.equal(namesTensors("The server answered 500 without JSON."), `The server answered 500 without JSON.${after}`);
  assert.equal(namesTensors("expected a log"), `expected a log.${after}`);
});

test("every finding has a title", () => {
  assert.deepEqual(Object.keys(TITLES).sort(), ["copy", "format_conflict", "format_lost", "round_trip", "slow_implementation", "small_reorders", "weights_each_call"]);
});
