// Each engine behind the same few methods, so that one description of a path runs in all of them.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import puppeteer from "puppeteer-core";
import { startWebKit } from "./webkit.js";

/**
 * A page of some engine.
 * @typedef {object} EnginePage
 * @property {(url: string) => Promise<void>} go
 * @property {<A extends unknown[], R>(code: (...given: A) => R, ...given: A) => Promise<R>} run in the page; JSON goes in and comes out
 * @property {(selector: string, x_css?: number, y_css?: number) => Promise<void>} click in the middle, or at a point from the left top corner
 * @property {(text: string) => Promise<void>} keys types into what has the focus
 * @property {(key: string) => Promise<void>} chord presses a key while Control is held
 * @property {(width_css: number, height_css: number) => Promise<void>} resize the page's part of the window; MiniBrowser's is at least 447 wide
 * @property {() => Promise<Buffer>} screenshot a PNG
 * @property {() => Promise<string[]>} complaints errors of scripts so far
 *
 * @typedef {object} Engine
 * @property {string} name
 * @property {EnginePage} page
 * @property {() => Promise<void>} stop
 */

/** @type {Readonly<Record<string, () => Promise<Engine>>>} how each engine is started */
export const ENGINES = Object.freeze({
  Chromium: () => startPuppeteer("Chromium", "chrome", process.env.CHROMIUM ?? onPath("chromium")),
  Firefox: () => startPuppeteer("Firefox", "firefox", process.env.FIREFOX ?? onPath("firefox-esr", "firefox")),
  WebKit: startWebKit,
});

/** ENGINE=Chromium leaves that one alone, as `make test` does. */
export const CHOSEN = Object.entries(ENGINES).filter(([name]) => [undefined, name].includes(process.env.ENGINE));

/** @param {string[]} names of one program */
function onPath(...names) {
  const places = names.flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((place) => join(place, name)));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`${names[0]} is missing: \`make browsers\` as root installs it`);
  return found;
}

const CHROMIUM_ARGS = [
  "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
];

/** Chromium reports how often the tests read the canvases. */
const EXPECTED = /^Canvas2D: Multiple readback/;

/**
 * @param {string} name
 * @param {'chrome' | 'firefox'} browser Firefox is spoken to in WebDriver BiDi
 * @param {string} executablePath
 * @returns {Promise<Engine>}
 */
async function startPuppeteer(name, browser, executablePath) {
  const profile = mkdtempSync(join(tmpdir(), "stridescope-"));
  // Chromium refuses its sandbox to root, and only to root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const started = await puppeteer.launch({
    browser,
    executablePath,
    headless: true,
    userDataDir: profile,
    args: browser === "chrome" ? [...CHROMIUM_ARGS, ...sandbox] : [],
  });
  const page = await started.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (!EXPECTED.test(message.text()) && ["error", "warn"].includes(message.type())) complaints.push(message.text());
  });
  return {
    name,
    page: {
      go: async (url) => void (await page.goto(url)),
      run: (code, ...given) => /** @type {Promise<any>} */ (page.evaluate(/** @type {(...given: any[]) => unknown} */ (code), ...given)),
      async click(selector, x_css, y_css) {
        const element = await page.$(selector);
        if (element === null) throw new Error(`no ${selector} to click`);
        await element.click(x_css === undefined || y_css === undefined ? {} : { offset: { x: x_css, y: y_css } });
      },
      keys: (text) => page.keyboard.type(text),
      async chord(key) {
        await page.keyboard.down("Control");
        await page.keyboard.press(/** @type {import('puppeteer-core').KeyInput} */ (key));
        await page.keyboard.up("Control");
      },
      resize: (width, height) => page.setViewport({ width, height }),
      screenshot: async () => Buffer.from(await page.screenshot()),
      complaints: async () => complaints,
    },
    async stop() {
      await started.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
