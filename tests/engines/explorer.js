// The explorer as a test touches it, in any engine. The functions that run in the page stand alone:
// they are sent there as text.
import { isDeepStrictEqual } from "node:util";
import { until } from "./until.js";

/** @typedef {import('./engines.js').EnginePage} EnginePage */
/** @typedef {'logical' | 'a' | 'b'} Grid */

/** @type {Readonly<Record<Grid, string>>} */
const CANVAS = Object.freeze({
  logical: "logical-view canvas",
  a: "memory-view[side=a] canvas",
  b: "memory-view[side=b] canvas",
});

/**
 * @typedef {object} DrawnCell
 * @property {readonly number[]} fill the colour of most of its pixels: red, green, blue
 * @property {number} ink share of the pixels that differ clearly from it: text, hatching, marks
 */

/** @param {EnginePage} page */
export function explorerOn(page) {
  /** @param {string} selector */
  const textOf = (selector) => page.run(readText, selector);

  /** @param {string} selector @param {RegExp | string} wanted */
  async function says(selector, wanted) {
    let text = "";
    const found = () => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text));
    await until(async () => ((text = await textOf(selector)), found()), () => `${selector} to say ${wanted}; it says ${text}`);
  }

  /**
   * The first answer that comes twice: what is drawn follows an answer by a frame or two.
   * @template T
   * @param {() => Promise<T>} ask
   */
  async function steady(ask) {
    let last = await ask();
    await until(
      async () => {
        const before = last;
        last = await ask();
        return isDeepStrictEqual(before, last);
      },
      () => "a drawing at rest",
    );
    return last;
  }

  /** @param {string} canvas */
  async function draws(canvas) {
    await until(() => page.run(hasDrawn, canvas), () => `${canvas} to be drawn`);
  }

  /** The sum stands for this cell. @param {number} address @param {string} coords */
  async function lights(address, coords) {
    const wanted = { address: String(address), coords };
    let lit = {};
    await until(async () => isDeepStrictEqual((lit = await page.run(litNow)), wanted), () => `${JSON.stringify(wanted)} to be lit, not ${JSON.stringify(lit)}`);
  }

  return {
    says,
    textOf,
    /** @param {string} url */
    async open(url) {
      await page.go(url);
      await says(".sum", /./);
      // A is drawn again when B is answered, with marks of what has moved.
      const grids = url.includes("b-layout") ? [CANVAS.b, CANVAS.a] : [CANVAS.a];
      for (const grid of grids) await draws(grid);
    },
    /** Replaces the text of a field as a user does. @param {string} id @param {string} text */
    async type(id, text) {
      await page.run(unfold, `#${id}`);
      await page.run(bringIntoView, `#${id}`);
      await page.click(`#${id}`);
      await page.run(selectAll, `#${id}`);
      await page.keys(text);
    },
    /** @param {string} name of a worked example */
    async choose(name) {
      await page.run(markPreset, name);
      await page.run(bringIntoView, "[data-wanted]");
      await page.click("[data-wanted]");
      await until(() => page.run(isPressed), () => `the example ${name} to be chosen`);
    },
    /** Clicks an address in the memory of A. @param {number} address @param {string} coords that lie there, empty for none */
    async press(address, coords) {
      await page.run(leaveField);
      await page.run(bringIntoView, CANVAS.a);
      /** @type {unknown} */
      let lit;
      const click = async () => {
        // Read anew for each click: the grids move when an answer is drawn.
        const [x_css, y_css] = await steady(() => page.run(middleOf, CANVAS.a, address));
        await page.click(CANVAS.a, x_css, y_css);
        lit = await steady(() => page.run(litNow));
        return isDeepStrictEqual(lit, { address: String(address), coords });
      };
      await until(click, () => `a click to light ${address} (${coords}), not ${JSON.stringify(lit)}`);
    },
    lights,
    /** @param {Grid} grid @param {number} columns @param {number} rows @returns {Promise<DrawnCell[]>} row by row */
    async cells(grid, columns, rows) {
      await draws(CANVAS[grid]);
      return steady(() => page.run(readCells, CANVAS[grid], columns, rows));
    },
    /** Mean colours of squares of the canvas. @param {Grid} grid @param {number} side_css @param {number} columns @param {number} rows */
    async texture(grid, side_css, columns, rows) {
      await draws(CANVAS[grid]);
      return steady(() => page.run(readTexture, CANVAS[grid], side_css, columns, rows));
    },
    /** Waits until many colours are drawn. @param {string} selector */
    picture: (selector) => until(() => page.run(hasColours, selector), () => `many colours in ${selector}`),
    /** @param {'light' | 'dark'} theme */
    async wear(theme) {
      for (let turn = 0; (await page.run(themeNow)) !== theme; turn += 1) {
        if (turn > 3) throw new Error(`the page wears no ${theme} theme`);
        await page.click("theme-switch button");
      }
      await until(() => page.run(isGround, CANVAS.logical, theme), () => `the grids to be drawn ${theme}`);
    },
  };
}

/** @param {string} selector */
function readText(selector) {
  const element = document.querySelector(selector);
  return element instanceof HTMLElement ? element.innerText : "";
}

/** @param {string} selector */
function hasDrawn(selector) {
  const canvas = document.querySelector(selector);
  return canvas instanceof HTMLCanvasElement && Number(canvas.dataset.cell_css) > 0;
}

/** Whether the ground of a canvas, if there is one, is that of the theme. @param {string} selector @param {'light' | 'dark'} theme */
function isGround(selector, theme) {
  const canvas = document.querySelector(selector);
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
  if (!(canvas instanceof HTMLCanvasElement) || !context || canvas.width === 0) return true;
  const [red, , , alpha] = context.getImageData(canvas.width - 2, 1, 1, 1).data;
  return alpha === 255 && red < 128 === (theme === "dark");
}

/** @param {string} selector */
function hasColours(selector) {
  const canvas = document.querySelector(selector);
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
  if (!(canvas instanceof HTMLCanvasElement) || !context || canvas.width === 0) return false;
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size > 200;
}

/** @param {string} selector */
function unfold(selector) {
  const element = document.querySelector(selector);
  for (let at = element?.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  // On a phone the strip shows shape and layout, and the other fields once More is open.
  const more = element?.checkVisibility() ? null : element?.closest("form")?.querySelector(":scope > details.more");
  if (more instanceof HTMLDetailsElement) more.open = true;
}

/** @param {string} selector */
function selectAll(selector) {
  const input = document.querySelector(selector);
  if (input instanceof HTMLInputElement) input.select();
}

/** @param {string} name */
function markPreset(name) {
  for (const button of document.querySelectorAll("preset-list button")) {
    button.toggleAttribute("data-wanted", button.textContent === name);
    if (button.textContent !== name) continue;
    for (let at = button.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  }
}

function isPressed() {
  return document.querySelector("[data-wanted]")?.getAttribute("aria-pressed") === "true";
}

/** @param {string} selector */
function bringIntoView(selector) {
  document.querySelector(selector)?.scrollIntoView({ block: "center" });
}

/** @param {string} selector @param {number} address */
function middleOf(selector, address) {
  const canvas = document.querySelector(selector);
  if (!(canvas instanceof HTMLCanvasElement)) return [0, 0];
  const [left_cells, top_cells, columns] = ["left_cells", "top_cells", "columns"].map((key) => Number(canvas.dataset[key]));
  const [wide_css, high_css] = (canvas.dataset.side_css ?? "").split(",").map(Number);
  const [x_css, y_css] = (canvas.dataset.inset_css ?? "").split(",").map(Number);
  const column = address % columns;
  return [x_css + (column + 0.5 - left_cells) * wide_css, y_css + ((address - column) / columns + 0.5 - top_cells) * high_css];
}

/** Ends typing, as the key "Done" of a phone does: the list of names lies over the grids on a small screen. */
function leaveField() {
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
}

function litNow() {
  const sum = document.querySelector("address-sum .sum");
  const { coords = "", address = "" } = sum instanceof HTMLElement ? sum.dataset : {};
  return { address, coords };
}

function themeNow() {
  return document.documentElement.dataset.theme ?? "";
}

/**
 * The first cells of a grid as they are drawn.
 * @param {string} selector
 * @param {number} columns
 * @param {number} rows
 */
function readCells(selector, columns, rows) {
  const canvas = document.querySelector(selector);
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
  if (!(canvas instanceof HTMLCanvasElement) || !context) return [];
  const ratio = canvas.width / canvas.clientWidth;
  const [wide, cell] = (canvas.dataset.side_css ?? "").split(",").map((side) => Number(side) * ratio);
  const [x, y] = (canvas.dataset.inset_css ?? "").split(",").map((inset) => Number(inset) * ratio);
  return Array.from({ length: columns * rows }, (_, at) => {
    // The middle of the cell, because engines round its edges differently.
    const side = Math.max(1, Math.floor(cell * 0.6));
    const left = Math.floor(x + ((at % columns) + 0.5) * wide - (side - 1) / 2);
    const top = Math.floor(y + (Math.floor(at / columns) + 0.5) * cell - (side - 1) / 2);
    const { data } = context.getImageData(left, top, side, side);
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (let from = 0; from < data.length; from += 4) {
      const key = `${data[from]},${data[from + 1]},${data[from + 2]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const fill = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0].split(",").map(Number);
    let inked = 0;
    for (let from = 0; from < data.length; from += 4) {
      if (fill.some((part, channel) => Math.abs(part - data[from + channel]) > 40)) inked += 4;
    }
    return { fill, ink: inked / data.length };
  });
}

/**
 * @param {string} selector
 * @param {number} side_css
 * @param {number} columns
 * @param {number} rows
 * @returns {number[][]}
 */
function readTexture(selector, side_css, columns, rows) {
  const canvas = document.querySelector(selector);
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext("2d") : null;
  if (!(canvas instanceof HTMLCanvasElement) || !context) return [];
  const ratio = canvas.width / canvas.clientWidth;
  const [x, y] = (canvas.dataset.inset_css ?? "").split(",").map((inset) => Number(inset) * ratio);
  const side = Math.round(side_css * ratio);
  return Array.from({ length: columns * rows }, (_, at) => {
    const { data } = context.getImageData(Math.ceil(x) + (at % columns) * side, Math.ceil(y) + Math.floor(at / columns) * side, side, side);
    const sums = [0, 0, 0];
    for (let from = 0; from < data.length; from += 4) sums.forEach((_sum, channel) => (sums[channel] += data[from + channel]));
    return sums.map((sum) => Math.round((sum * 4) / data.length));
  });
}
