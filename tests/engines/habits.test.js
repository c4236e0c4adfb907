// What people do first, with real keys and clicks, in each engine: try, mistype, paste, drop, search, save.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CHOSEN } from "./engines.js";
import { explorerOn } from "./explorer.js";
import { startServer } from "./server.js";
import { until } from "./until.js";

/** @typedef {import('./engines.js').Engine} Engine */

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => void (server = await startServer()));
after(() => server.stop());

for (const [name, start] of CHOSEN) {
  test(`what people do first in ${name}`, async (suite) => {
    const engine = await start();
    try {
      for (const size_css of /** @type {[number, number][]} */ ([[1440, 900], [390, 844]])) {
        await suite.test(`a trial at ${size_css[0]} pixels`, () => trial(engine, size_css));
      }
      await engine.page.resize(1440, 900);
      await suite.test("a layout that is none, a paste outside the fields, a file for another page", () => explorer(engine));
      await suite.test("advice, search, map and pictures of a network", () => network(engine));
    } finally {
      await engine.stop();
    }
  });
}

/** @param {Engine} engine @param {[number, number]} size_css */
async function trial({ page }, size_css) {
  await page.resize(...size_css);
  const { open, says } = explorerOn(page);
  await open(server.url);
  await page.click("example-story .try");
  assert.deepEqual(await page.run(selectedText), { id: "a-layout", text: "CHW" });
  await page.keys("HWC");
  await says("memory-view[side=a] .about", /HWC\s+24 addresses/);
  assert.deepEqual(await page.run(shown, "memory-view[side=a] canvas"), true, "the memory is in the window");
  await quiet(page);
}

/** @param {Engine} engine */
async function explorer({ page }) {
  const { open, says, type } = explorerOn(page);
  await open(server.url);
  await type("a-layout", "NCHW4NHWC");
  await says("#a-layout-error", /NCHW4NHWC|character/i);
  await quiet(page);

  await open(server.url);
  await type("go-to", "f16[2,3]{0,1}");
  await page.run(selectAll, "#go-to");
  await page.chord("c");
  await page.run(leaveFields);
  await page.chord("v");
  await says("paste-anywhere dialog", /XLA\s+Shape\s+2 × 3\s+Type\s+float16/);
  assert.equal(await page.run(valueOf, "#a-shape"), "2,3,4", "nothing is taken before it is shown");
  await page.click("paste-anywhere .take");
  await says("memory-view[side=a] .about", "6 addresses");
  assert.equal(await page.run(valueOf, "#a-dtype"), "float16");

  await page.run(drop, "net.onnx");
  await until(() => page.run(linksTo, "/network"), () => "an offer of the page of networks");
  await quiet(page);
}

/** @param {Engine} engine */
async function network({ page }) {
  const { says } = explorerOn(page);
  await page.go(`${server.url}/network?preset=bert-base&fold=0`);
  await says("network-node .advice > li", /12 of this kind, 9\.44 MB/);
  await page.click("network-find input");
  await page.keys("softmax");
  await says("network-find .hits", "12 found");
  for (let times = 0; times < 4; times += 1) await page.click("network-graph [data-zoom=in]");
  await until(() => page.run(shown, "network-graph .map"), () => "a map of what is larger than the window");
  const before = await page.run(valueOf, ".scene");
  await page.click("network-graph .map", 5, 5);
  await until(async () => (await page.run(valueOf, ".scene")) !== before, () => "the map to move the drawing");

  await page.run(catchDownloads);
  for (const words of ["SVG", "PNG", "Mermaid"]) await page.run(pressButton, "network-graph", words);
  /** @type {{name: string, about: string}[]} */
  let saved = [];
  await until(async () => (saved = await page.run(downloads)).length === 3, () => `three files, not ${JSON.stringify(saved)}`);
  const base = "bert-base-pytorch-eager";
  assert.deepEqual(saved, [
    { name: `${base}.mmd`, about: "flowchart TD" },
    { name: `${base}.png`, about: "a picture" },
    { name: `${base}.svg`, about: "a picture with 12 reorders" },
  ]);
  await quiet(page);
}

/**
 * No error, and no answer that a console lists as failed.
 * @param {Engine['page']} page
 */
async function quiet(page) {
  assert.deepEqual(await page.complaints(), []);
  assert.deepEqual(await page.run(failedAnswers), []);
}

function failedAnswers() {
  const all = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
  return all.filter(({ responseStatus }) => responseStatus >= 400).map(({ name, responseStatus }) => `${responseStatus} ${name}`);
}

function selectedText() {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLInputElement)) return { id: "", text: "" };
  const { id, value, selectionStart, selectionEnd } = activeElement;
  return { id, text: value.slice(selectionStart ?? 0, selectionEnd ?? 0) };
}

/** @param {string} selector */
function selectAll(selector) {
  const input = document.querySelector(selector);
  if (input instanceof HTMLInputElement) input.select();
}

function leaveFields() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Whether the middle of an element is in the window. @param {string} selector */
function shown(selector) {
  const { left, top, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const [x, y] = [left + width / 2, top + height / 2];
  return width > 0 && x > 0 && y > 0 && x < innerWidth && y < innerHeight;
}

/** What a field holds, or where a drawing stands. @param {string} selector */
function valueOf(selector) {
  const element = document.querySelector(selector);
  return element instanceof HTMLInputElement ? element.value : (element?.getAttribute("transform") ?? "");
}

/** No driver can drag a file from a desktop. @param {string} name */
function drop(name) {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["x"], name));
  for (const type of ["dragover", "drop"]) {
    document.querySelector("main")?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}

/** Whether a message leads to a page. @param {string} path */
function linksTo(path) {
  return [...document.querySelectorAll("[role=alert] a, .error a")].some((link) => link instanceof HTMLAnchorElement && link.pathname === path && link.checkVisibility());
}

/** What the page would save stays in the page: each engine asks differently where to put it. */
function catchDownloads() {
  /** @type {Promise<{name: string, about: string}>[]} */
  const caught = [];
  Object.assign(window, { caught });
  const byUrl = new Map();
  const create = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (file) => {
    const url = create(file);
    byUrl.set(url, file);
    return url;
  };
  HTMLAnchorElement.prototype.click = function click() {
    caught.push(about(this.download, byUrl.get(this.href)));
  };
  /** @param {string} name @param {Blob} file */
  async function about(name, file) {
    if (name.endsWith(".png")) return { name, about: (await createImageBitmap(file)).width > 500 ? "a picture" : "too small" };
    const text = await file.text();
    if (!name.endsWith(".svg")) return { name, about: text.split("\n")[0] };
    const picture = new Image();
    picture.src = create(file);
    await picture.decode();
    return { name, about: `a picture with ${text.split(">acbd → abcd<").length - 1} reorders` };
  }
}

/** @param {string} within @param {string} words */
function pressButton(within, words) {
  const buttons = [...document.querySelectorAll(`${within} button`)];
  /** @type {HTMLElement | undefined} */ (buttons.find(({ textContent }) => textContent?.trim() === words))?.click();
}

/** @returns {Promise<{name: string, about: string}[]>} by name */
async function downloads() {
  const { caught } = /** @type {{caught: Promise<{name: string, about: string}>[]}} */ (/** @type {unknown} */ (window));
  return (await Promise.all(caught)).sort((a, b) => a.name.localeCompare(b.name));
}
