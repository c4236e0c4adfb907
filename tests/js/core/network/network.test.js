import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_CHARACTERS, pack, unpack } from "../../../../static/core/network/packed.js";
import { bytesText, cut, shapeText } from "../../../../static/core/network/texts.js";
import { fitted, kept, MOST_SCALE, showing, zoomed } from "../../../../static/core/network/viewport.js";
import { crowded, wayOf } from "../../../../static/core/network/ways.js";

test("bytes have three digits", () => {
  for (const [bytes, text] of /** @type {const} */ ([
    [0, "0 bytes"], [1, "1 byte"], [999, "999 bytes"], [1000, "1 kB"], [999_600, "1 MB"], [1_605_632, "1.61 MB"],
  ])) assert.equal(bytesText(bytes), text);
});

test("shapes and long texts are short", () => {
  assert.equal(shapeText([1, 64, 56, 56]), "1×64×56×56");
  assert.equal(shapeText([]), "scalar");
  assert.equal(shapeText(null), "shape not known");
  assert.equal(cut("adaptive_avg_pool2d", 8), "adaptiv…");
});

test("a packed text is short, safe in an address, and comes back", async () => {
  const text = JSON.stringify(Array.from({ length: 500 }, (_, at) => ({ op: "conv2d", at, name: "größe" })));
  const packed = await pack(text);
  assert.ok(packed.length < text.length / 3);
  assert.match(packed, /^[\w-]+$/);
  assert.equal(await unpack(packed), text);
});

test("what is no packed text is refused, and so is one that would be too long", async () => {
  const bomb = await pack("0".repeat(2 ** 21));
  assert.ok(bomb.length < MOST_CHARACTERS);
  for (const text of ["!", "AAAA", "x".repeat(MOST_CHARACTERS + 1), bomb]) {
    await assert.rejects(unpack(text), RangeError);
  }
});

const WINDOW = { width: 800, height: 600 };
const DRAWING = { width: 4000, height: 1000 };

test("a fitted drawing is whole and in the middle", () => {
  const { scale, x, y } = fitted(DRAWING, WINDOW);
  assert.ok(x >= 0 && x + DRAWING.width * scale <= WINDOW.width);
  assert.ok(Math.abs(y + (DRAWING.height * scale) / 2 - WINDOW.height / 2) < 1e-9);
});

test("zooming keeps the point under the pointer, within bounds", () => {
  const view = { scale: 0.5, x: 10, y: -20 };
  const after = zoomed(view, 1.5, 300, 200);
  assert.ok(Math.abs((300 - view.x) / view.scale - (300 - after.x) / after.scale) < 1e-9);
  assert.equal(zoomed(view, 1e9, 0, 0).scale, MOST_SCALE);
  assert.ok(zoomed(view, 1e-9, 0, 0).scale > 0);
});

test("what one walks to is in the window and readable; what is there already does not move", () => {
  const far = showing(fitted(DRAWING, WINDOW), { x: 3900, y: 900 }, WINDOW);
  const place = { x: 3900 * far.scale + far.x, y: 900 * far.scale + far.y };
  assert.ok(place.x > 0 && place.x < WINDOW.width && place.y > 0 && place.y < WINDOW.height);
  assert.ok(far.scale >= 0.8);
  assert.deepEqual(showing(far, { x: 3900, y: 900 }, WINDOW), far);
});

test("a drawing cannot be lost outside its window", () => {
  const { x, y } = kept({ scale: 1, x: 1e6, y: -1e6 }, DRAWING, WINDOW);
  assert.ok(x >= 0 && x < 20);
  const end = y + DRAWING.height - WINDOW.height;
  assert.ok(end <= 0 && end > -20);
  const small = { width: WINDOW.width / 4, height: WINDOW.height / 4 };
  for (const far of [1e6, -1e6]) {
    const { x, y } = kept({ scale: 1, x: far, y: far }, small, WINDOW);
    assert.ok(x > 0 && x + small.width < WINDOW.width && y > 0 && y + small.height < WINDOW.height);
  }
});

test("a label stands lower where another begins in its room", () => {
  const labels = [[100, 50, "ABcd16b16a, one of 2"], [240, 50, "ABcd16b16a"], [100, 130, "ABcd16b16a, one of 2"], [0, 50, "abcd"]];
  assert.deepEqual(crowded(labels.map(([x, y, text]) => ({ x: Number(x), y: Number(y), text: String(text) }))), [true, false, false, false]);
});

test("a line leads from the lower edge of a box to the upper edge of the next", () => {
  const box = (/** @type {number} */ y) => /** @type {any} */ ({ x: 100, y, width: 148, height: 40 });
  const line = /** @type {any} */ ({ points: [[100, 20], [100, 104]] });
  const { d, head, label } = wayOf(line, box(20), box(104));
  assert.equal(d, "M100 40L100 78");
  assert.equal(head, "M100 84l-4 -7h8z");
  assert.deepEqual(label, [106, 54]);
  assert.deepEqual(wayOf(line, { ...box(20), kind: "fold" }, box(104)).label, [106, 60], "clear of a block's sheets");
});
