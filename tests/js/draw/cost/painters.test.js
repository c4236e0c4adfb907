import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_COST } from "../../../../static/state/cost/link.js";
import { createTensor } from "../../../../static/core/layout/tensor.js";
import { defaultTheme } from "../../../../static/core/palette.js";
import { drawStill } from "../../../../static/draw/surface.js";
import { paintersOf } from "../../../../static/elements/shared/painters.js";
import { describe } from "../../random-layouts.js";

/** @typedef {import("../../../../static/state/session.js").Session} Session */
/** @typedef {import("../../../../static/core/types.js").Viewport} Viewport */

const TENSOR = createTensor(describe([64, 64], [[{ extent: 64, stride: 64 }], [{ extent: 64, stride: 1 }]], 0));
const STATE = { colour: "@line", cost: NO_COST };
const VIEW = /** @type {Viewport} */ (/** @type {unknown} */ ({ width_css: 100, height_css: 100, cell_css: 4 }));

/** @param {typeof STATE} state @param {Partial<Session>} parts */
function sessionOf(state, parts = {}) {
  const answer = { tensor: TENSOR, memory: { tensor: TENSOR }, itemsize_bits: 32 };
  const plain = { state, theme: THEME, picks: null, answers: { a: answer, b: null }, valuesFor: () => null, picksFor: () => null };
  return /** @type {Session} */ (/** @type {unknown} */ ({ ...plain, ...parts }));
}
const THEME = defaultTheme(false);

/** @param {Session} session @param {typeof STATE} state */
function painted(session, state) {
  session.state = /** @type {never} */ (state);
  const painter = paintersOf(session, "a")?.memory;
  assert.ok(painter);
  const words = new Uint32Array(4096);
  painter.paintAddresses(0, 1, 4096, words, 0, 0, false);
  return { painter, words: String(words) };
}

test("a drawing is kept exactly as long as the lens that colours it", () => {
  const session = sessionOf(STATE);
  const context = /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ ({}));
  let drawn = 0;
  /** @param {typeof STATE} state */
  const draw = (state) => {
    const found = painted(session, state);
    drawStill(context, VIEW, 1, [found.painter], () => {
      drawn += 1;
      return new Set();
    });
    return found;
  };
  const seen = new Map();
  for (const state of [
    STATE,
    { ...STATE, cost: { ...NO_COST, line_bytes: 128 } },
    { ...STATE, colour: "@page" },
    { ...STATE, colour: "@page", cost: { ...NO_COST, page_bytes: 1024 } },
    { ...STATE, colour: "@sector" },
    { ...STATE, colour: "@bank" },
    { ...STATE, colour: "auto" },
  ]) {
    const before = drawn;
    const { painter, words } = draw(state);
    assert.equal(drawn, before + 1, `${state.colour} is drawn`);
    assert.ok(!seen.has(words), `${state.colour} looks as ${seen.get(words)}`);
    seen.set(words, state.colour);
    // What the lens counts beside the colours leaves the drawing as it is.
    const same = painted(session, { ...state, cost: { ...state.cost, vector: 4, ways: 2, order: "HW" } });
    assert.equal(same.painter, painter);
  }
});
