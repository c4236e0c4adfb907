// What Chromium draws, the other engines draw: the same colours in the same cells, text where text is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ENGINES } from "./engines.js";
import { explorerOn } from "./explorer.js";
import { startServer } from "./server.js";

/** @typedef {import('./engines.js').Engine} Engine */
/** @typedef {import('./explorer.js').DrawnCell} DrawnCell */
/** @typedef {{logical: DrawnCell[], a: DrawnCell[], texture: number[][]}} Drawing */

/** Most that a part of a colour may differ, of 255. */
const SAME_FILL = 3;
/** The same of the mean of a square: engines round a frame's edges differently. */
const SAME_TEXTURE = 8;
/** From this share of pixels on a cell shows text or marks; fonts differ, so shares are not compared. */
const INKED = 0.03;
const BARE = 0.01;

/** The views have cells of one size in all engines, and the grids begin at their first cell. */
const VIEWS = "lv=28,0,0&mv=28,0,0";

/** @type {readonly {name: string, query: string, columns: number, rows: number, theme?: 'dark'}[]} */
const DRAWINGS = [
  { name: "blocks and padding", query: `shape=1,6,4,5&layout=NCHW4&at=0,2,1,2&row=20&${VIEWS}`, columns: 12, rows: 6 },
  { name: "the same in the dark", query: `shape=1,6,4,5&layout=NCHW4&at=0,2,1,2&row=20&${VIEWS}`, columns: 12, rows: 6, theme: "dark" },
  { name: "gaps", query: `shape=2,3&layout=5,1&elements=10&row=5&${VIEWS}`, columns: 5, rows: 2 },
  { name: "shared addresses", query: `shape=1,3,2,3&layout=6,0,3,1&row=6&${VIEWS}`, columns: 6, rows: 1 },
  { name: "a swizzle", query: `shape=8,8&layout=Sw<3,0,3>%20o%200%20o%20(8,8):(8,1)&row=8&${VIEWS}`, columns: 8, rows: 6 },
  { name: "a slice", query: `shape=1,2,4,6&layout=NCHW&slice=0,:,::2,1:4&row=12&${VIEWS}`, columns: 6, rows: 4 },
  { name: "addresses as text", query: `shape=2,8,3,3&layout=CHWN4&text=address&row=24&${VIEWS}`, columns: 12, rows: 5 },
  { name: "a picture", query: "shape=1,3,96,128&layout=NHWC&dtype=uint8&sample=balloon&row=384&lv=3,0,0&mv=2,0,0", columns: 60, rows: 40 },
  { name: "two layouts", query: `shape=1,4,3,4&layout=NCHW&b-layout=NHWC&row=12&${VIEWS}`, columns: 8, rows: 3 },
  { name: "a texture", query: "shape=1000,1000,1000,1000&layout=NCHW4&row=4000&lv=0.4,0,0&mv=0.3,0,0", columns: 0, rows: 0 },
];

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {Drawing[]} */
let expected;
before(async () => {
  server = await startServer();
  expected = await drawAll(ENGINES.Chromium);
});
after(() => server.stop());

for (const name of ["Firefox", "WebKit"]) {
  test(`${name} draws what Chromium draws`, async (suite) => {
    const drawn = await drawAll(ENGINES[name]);
    for (const [at, { name: what }] of DRAWINGS.entries()) {
      await suite.test(what, () => {
        for (const grid of /** @type {const} */ (["logical", "a"])) {
          assert.deepEqual(differences(expected[at][grid], drawn[at][grid]), [], grid);
        }
        const away = expected[at].texture.map((mean, square) => distance(mean, drawn[at].texture[square]));
        assert.ok(Math.max(0, ...away) <= SAME_TEXTURE, `the squares differ by ${away}`);
      });
    }
  });
}

test("what is compared is a drawing: colours, and text in the cells", () => {
  for (const [at, { logical, a, texture }] of expected.entries()) {
    const fills = [...logical, ...a].map(({ fill }) => String(fill)).concat(texture.map(String));
    assert.ok(new Set(fills).size >= 3, DRAWINGS[at].name);
  }
  assert.ok(expected[0].a.every(({ ink }) => ink >= INKED));
});

/** @param {() => Promise<Engine>} start */
async function drawAll(start) {
  const { page, stop } = await start();
  /** @type {Drawing[]} */
  const drawn = [];
  try {
    await page.resize(1440, 900);
    for (const { query, columns, rows, theme } of DRAWINGS) {
      const explorer = explorerOn(page);
      await explorer.open(`${server.url}/?${query}`);
      await explorer.wear(theme ?? "light");
      // Two memories take the tensor's room until it is asked for.
      if (query.includes("b-layout")) await page.click("compare-bar .tensor");
      drawn.push({
        logical: await explorer.cells("logical", columns, rows),
        a: await explorer.cells("a", columns, rows),
        texture: columns > 0 ? [] : [...(await explorer.texture("logical", 40, 16, 4)), ...(await explorer.texture("a", 40, 16, 4))],
      });
    }
  } finally {
    await stop();
  }
  return drawn;
}

/**
 * @param {readonly DrawnCell[]} expected
 * @param {readonly DrawnCell[]} drawn
 * @returns {string[]} one sentence per cell
 */
function differences(expected, drawn) {
  return expected.flatMap((cell, at) => {
    const other = drawn[at];
    const empty = cell.ink >= INKED ? other.ink < BARE : cell.ink < BARE && other.ink >= INKED;
    const wrong = distance(cell.fill, other.fill) > SAME_FILL;
    return empty || wrong ? [`cell ${at}: ${cell.fill} (${cell.ink.toFixed(3)}), here ${other.fill} (${other.ink.toFixed(3)})`] : [];
  });
}

/** @param {readonly number[]} one @param {readonly number[]} other */
function distance(one, other) {
  return Math.max(...one.map((part, channel) => Math.abs(part - other[channel])));
}
