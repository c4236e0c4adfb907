// The path of a student in their first minutes, the same steps in each engine, on a desktop and a phone.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CHOSEN } from "./engines.js";
import { explorerOn } from "./explorer.js";
import { startServer } from "./server.js";

/** @typedef {import('./engines.js').Engine} Engine */

const PICTURES = fileURLToPath(new URL("../../test-results/engines/", import.meta.url));

/** @type {readonly {window: string, size_css: [number, number], theme: 'light' | 'dark'}[]} */
const WINDOWS = [
  { window: "desktop", size_css: [1440, 900], theme: "light" },
  { window: "phone", size_css: [390, 844], theme: "dark" },
];

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer();
  mkdirSync(PICTURES, { recursive: true });
});
after(() => server.stop());

for (const [name, start] of CHOSEN) {
  test(`a student's first minutes in ${name}`, async (suite) => {
    const engine = await start();
    try {
      for (const { window, size_css, theme } of WINDOWS) {
        await suite.test(`${window}, ${theme}`, async () => {
          await engine.page.resize(...size_css);
          await path(engine, theme, (station, png) => {
            writeFileSync(`${PICTURES}${name}-${window}-${theme}-${station}.png`, png);
          });
        });
      }
    } finally {
      await engine.stop();
    }
  });
}

/**
 * @param {Engine} engine
 * @param {'light' | 'dark'} theme
 * @param {(station: string, png: Buffer) => void} keep
 */
async function path({ page }, theme, keep) {
  const explorer = explorerOn(page);
  /** @param {string} station */
  const picture = async (station) => keep(station, await page.screenshot());
  await explorer.open(server.url);
  await explorer.wear(theme);
  await explorer.lights(18, "1,1,2");
  await explorer.says("example-story .see", "Two grids");
  await explorer.type("a-layout", "HWC");
  await explorer.lights(13, "1,1,2");
  await explorer.says("example-story .see", "A M B N C O");
  await explorer.choose("Six channels in blocks of four");
  await explorer.lights(30, "0,2,1,2");
  await explorer.says("memory-view[side=a] .about", "160 addresses");
  await explorer.says("example-story .see", "blocks of four");
  const cells = await explorer.cells("a", 8, 2);
  assert.equal(new Set(cells.map(({ fill }) => String(fill))).size, cells.length, "each cell has its colour");
  await picture("1-first");

  await explorer.type("a-layout", "NHWC");
  await explorer.says("memory-view[side=a] .about", /NHWC\s+120 addresses/);
  await explorer.says(".sum", "c·1");
  await explorer.lights(44, "0,2,1,2");
  await explorer.says("example-story .see", "channels of a pixel are neighbours");
  await picture("2-tried");

  await explorer.choose("A picture as planes, stripes and combs");
  await explorer.says("three-memories li:last-child", "NCHW4, combs: address = h·192 + w·4 + c");
  await explorer.picture("three-memories canvas");
  await picture("3-memories");

  await explorer.choose("Column-major: one column after another");
  await explorer.says(".sum", /h·1.*w·2/s);
  await explorer.press(4, "0,2");
  await explorer.choose("A larger stride leaves gaps");
  await explorer.says("memory-view[side=a] .about", "10 addresses");
  await explorer.press(7, "1,2");
  await explorer.press(3, "");
  await picture("4-padded");
  await explorer.choose("A swizzle spreads a column over the banks");
  await explorer.says(".sum", /26\s*\^\s*3/);
  await explorer.press(9, "1,0");
  await picture("5-swizzle");

  await explorer.type("a-shape", "2,3,4,4");
  await explorer.type("a-layout", "NHWC");
  await explorer.says("memory-view[side=a] .about", /NHWC\s+96 addresses/);
  await explorer.press(5, "0,2,0,1");
  await picture("6-own-shape");

  await explorer.type("a-slice", "0, ::2, 1:3");
  await explorer.says("slice-result", /2 × 2 × 4/);
  await explorer.says("slice-result", "12, 15, 18, 21");
  await picture("7-slice");
  assert.deepEqual(await page.complaints(), []);
}
