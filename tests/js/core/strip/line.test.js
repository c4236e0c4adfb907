import assert from "node:assert/strict";
import { test } from "node:test";

import { createViewport } from "../../../../static/core/grid/viewport.js";
import { createTensor } from "../../../../static/core/layout/tensor.js";
import { bandsOf, samplesAt, SAMPLES, seenOf } from "../../../../static/core/strip/line.js";
import { describe } from "../../random-layouts.js";

const BLOCKED = { ...describe([2, 6, 4, 4], [[{ extent: 2, stride: 128 }], [{ extent: 2, stride: 64 }, { extent: 4, stride: 1 }], [{ extent: 4, stride: 16 }], [{ extent: 4, stride: 4 }]], 0), dims: "NCHW" };

/** @param {number} place @param {number} places @param {number} buffer */
function looked(place, places, buffer) {
  const starts = new Float64Array(SAMPLES);
  const { count, run } = samplesAt(place, places, buffer, starts);
  return [...starts.subarray(0, count)].flatMap((start) => Array.from({ length: run }, (_, at) => start + at));
}

test("every address of a small memory is looked at, in its place", () => {
  for (const [buffer, places] of [[1000, 100], [960, 960], [100, 960], [7, 3]]) {
    const seen = new Set();
    for (let place = 0; place < places; place += 1) {
      for (const address of looked(place, places, buffer)) {
        seen.add(address);
        assert.ok(address < buffer && address + 1 > (place * buffer) / places && address < ((place + 1) * buffer) / places, `${address} in ${place}`);
      }
    }
    assert.equal(seen.size, buffer);
  }
});

test("of a large memory, all residues of a period are looked at alike", () => {
  for (const period of [2, 8, 64, 1000]) {
    const counts = new Map();
    for (let place = 300; place < 364; place += 1) {
      for (const address of looked(place, 960, 960 * 2 ** 20)) {
        assert.equal(Math.floor(address / 2 ** 20), place);
        const residue = Math.floor((address % (period * 8)) / 8);
        counts.set(residue, (counts.get(residue) ?? 0) + 1);
      }
    }
    const most = Math.max(...counts.values());
    const fair = (64 * 512) / period;
    assert.equal(counts.size, period);
    assert.ok(most < 2.5 * fair, `${period}: ${most} of ${fair}`);
  }
});

test("the outermost loop divides a memory into bands with the names of its coordinates", () => {
  const images = bandsOf(createTensor(BLOCKED));
  assert.ok(images);
  assert.deepEqual([images.count, images.first, images.stride, images.labelOf(1)], [2, 0, 128, "n 1"]);
  const blocks = bandsOf(createTensor({ ...describe([6], [[{ extent: 2, stride: 64 }, { extent: 4, stride: 1 }]], 0), dims: "C" }));
  assert.deepEqual([blocks?.labelOf(0), blocks?.labelOf(1)], ["c 0–3", "c 4–5"]);
  const flipped = bandsOf(createTensor(describe([3], [[{ extent: 3, stride: -2 }]], 4)));
  assert.deepEqual([flipped?.labelOf(0), flipped?.labelOf(2)], ["a 2", "a 0"]);
  assert.equal(bandsOf(createTensor(describe([3, 3], [[{ extent: 3, stride: 2 }], [{ extent: 3, stride: 1 }]], 0))), null);
});

test("a window shows a range of addresses, or a part of each of its rows", () => {
  const size = { width_css: 100, height_css: 40, columns: 20, rows: 50 };
  const wide = seenOf(createViewport({ ...size, cell_css: 5, top_cells: 10 }), 20, 1000, 900);
  assert.deepEqual([wide.first, wide.end, wide.whole, wide.parts], [200, 360, false, [[200, 360]]]);
  const cut = seenOf(createViewport({ ...size, cell_css: 10, left_cells: 4, top_cells: 10 }), 20, 1000, 900);
  assert.deepEqual(cut.parts, [[204, 214], [224, 234], [244, 254], [264, 274]]);
  assert.deepEqual([cut.first, cut.end], [204, 274]);
  const whole = seenOf(createViewport({ ...size, height_css: 400, cell_css: 5 }), 20, 995, 900);
  assert.deepEqual([whole.whole, whole.end], [true, 995]);
});
