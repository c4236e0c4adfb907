import assert from "node:assert/strict";
import { test } from "node:test";

import { createTensor } from "../../../../static/core/layout/tensor.js";
import { defaultTheme, fromWord, parseColour } from "../../../../static/core/palette.js";
import { createPainter } from "../../../../static/draw/painter.js";
import { StripColours } from "../../../../static/draw/strip/colours.js";
import { describe } from "../../random-layouts.js";

const THEME = defaultTheme(false);

/** @param {number[]} shape @param {number[]} strides */
function painterOf(shape, strides) {
  const digits = shape.map((extent, dim) => [{ extent, stride: strides[dim] }]);
  const tensor = createTensor({ ...describe(shape, digits, 0), dims: "NCHW" });
  return createPainter({ tensor, theme: THEME, colour: "C", values: null, slice: null });
}

/** @param {StripColours} colours */
function finish(colours) {
  while (!colours.done) colours.advance(5);
  return [...colours.words].map(fromWord);
}

test("planes are bands of the colours of their channels", () => {
  const painter = painterOf([1, 8, 10, 10], [800, 100, 10, 1]);
  const found = finish(new StripColours(painter, 80, null));
  for (let channel = 0; channel < 8; channel += 1) {
    const [red, green, blue] = fromWord(painter.wordOf([0, channel, 5, 5], 0));
    for (let place = 0; place < 10; place += 1) {
      const seen = found[channel * 10 + place];
      assert.ok(Math.hypot(seen[0] - red, seen[1] - green, seen[2] - blue) < 60, `${channel}: ${seen}`);
    }
  }
});

test("channels side by side give each place the mean of all colours", () => {
  const painter = painterOf([1000, 1000, 1000, 1000], [1e9, 1, 1e6, 1e3]);
  const found = finish(new StripColours(painter, 96, null));
  const spread = [0, 1, 2].map((part) => Math.max(...found.map((rgb) => rgb[part])) - Math.min(...found.map((rgb) => rgb[part])));
  assert.ok(spread.every((width) => width < 40), String(spread));
});

test("channels in blocks give each place the colour of its block, and padding stays seen", () => {
  const digits = [[{ extent: 1, stride: 200704 }], [{ extent: 4, stride: 50176 }, { extent: 16, stride: 1 }], [{ extent: 56, stride: 896 }], [{ extent: 56, stride: 16 }]];
  /** @param {number} channels */
  const stripOf = (channels) => {
    const tensor = createTensor({ ...describe([1, channels, 56, 56], digits, 0), dims: "NCHW" });
    const painter = createPainter({ tensor, theme: THEME, colour: "auto", values: null, slice: null });
    return { painter, found: finish(new StripColours(painter, 80, null)) };
  };
  const { painter, found } = stripOf(64);
  found.forEach((seen, place) => {
    const [red, green, blue] = fromWord(painter.wordAt(Math.floor(place / 20), 128, 0));
    assert.ok(Math.hypot(seen[0] - red, seen[1] - green, seen[2] - blue) < 60, `${place}: ${seen}`);
  });
  const last = stripOf(56).found;
  assert.deepEqual(last.slice(0, 60), found.slice(0, 60));
  assert.notDeepEqual(last.slice(60), found.slice(60));
});

test("the legend says whether a colour is that of a block, of a cell, or of all cells of a place", () => {
  const planes = painterOf([1, 8, 10, 10], [800, 100, 10, 1]);
  assert.equal(new StripColours(planes, 80, null).legend, "colour: mean of its cells");
  assert.equal(new StripColours(planes, 800, null).legend, "colour: as its cell");
  assert.equal(new StripColours(planes, 80, (address) => address).legend, "", "of a reorder: how far it is");
  const digits = [[{ extent: 1, stride: 200704 }], [{ extent: 4, stride: 50176 }, { extent: 16, stride: 1 }], [{ extent: 56, stride: 896 }], [{ extent: 56, stride: 16 }]];
  const tensor = createTensor({ ...describe([1, 64, 56, 56], digits, 0), dims: "NCHW" });
  const blocks = createPainter({ tensor, theme: THEME, colour: "auto", values: null, slice: null });
  assert.equal(new StripColours(blocks, 80, null).legend, "colour: block of c");
});

test("of a reorder, B is empty until it is written, and what was read of A is covered", () => {
  const painter = painterOf([1, 8, 10, 10], [800, 100, 10, 1]);
  const back = parseColour(THEME.background);
  const written = new StripColours(painter, 80, (address) => address);
  finish(written);
  const whole = [...written.words];
  written.at(399, "b");
  assert.deepEqual([...written.words.slice(0, 40)], whole.slice(0, 40));
  assert.ok([...written.words.slice(40)].every((word) => fromWord(word).every((part, at) => part === back[at])));
  written.at(399, "a");
  assert.deepEqual([...written.words.slice(40)], whole.slice(40));
  assert.notDeepEqual([...written.words.slice(0, 40)], whole.slice(0, 40));
});
