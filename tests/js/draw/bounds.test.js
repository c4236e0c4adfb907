import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counting, steps, withCounted } from '../counted.js';
import { describe, fewer, randomLayout, seeded, swizzledLayout } from '../random-layouts.js';

/** @typedef {import('../random-layouts.js').PlainDescription} PlainDescription */
/** @typedef {{extent: number, stride: number}} Digit */

const TENSORS = fewer(10_000);
const SIZES = [0, 1, 1, 2, 3, 4, 7, 16, 31, 97, 1000, 1009, 65_537, 1_000_003, 1_000_000_007, 1_000_000_000_039];
const MOST_SPAN = 2 ** 52;

// What follows from the size of the canvas alone. A step is one turn of any loop in core/ and draw/.
/** For the tables of a tensor, made once: 2^15 addresses by their digits and sums, or 2^20 coordinates. */
const MOST_SETUP_STEPS = 2 ** 25;
/** For the arrangement of the planes, and for a row length: even parts are looked for near the wish alone. */
const MOST_GRID_STEPS = 40_000;
const STEPS_PER_FRAME = 20_000;
const STEPS_PER_ROW = 5000;
/** Four samples a pixel, eight addresses decoded for each, a few sums over a few dimensions for each of those. */
const STEPS_PER_PIXEL = 2500;

class Nothing {
  rect() {}
  moveTo() {}
  lineTo() {}
  closePath() {}
}

class Pixels {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}

class Offscreen {
  /** @returns {object} */
  getContext() {
    return context();
  }
}

Object.assign(globalThis, { Path2D: Nothing, ImageData: Pixels, OffscreenCanvas: Offscreen });

/** A canvas context that draws nothing. */
function context() {
  const nothing = () => null;
  return /** @type {any} */ (new Proxy({}, { get: () => nothing, set: () => true }));
}

/**
 * A tensor of any size: dense, spread, flipped, broadcast, overlapping, blocked, empty.
 * @param {(below: number) => number} random
 * @returns {PlainDescription}
 */
function anyLayout(random) {
  if (random(2) === 0) {
    const plain = randomLayout(random);
    return random(3) === 0 ? swizzledLayout(random, plain) : plain;
  }
  const rank = random(7);
  /** @type {number[]} */
  const shape = [];
  /** @type {{dim: number, digit: Digit}[]} */
  const placed = [];
  let elements = 1;
  for (let dim = 0; dim < rank; dim += 1) {
    let size = SIZES[random(SIZES.length)];
    if (elements * Math.max(1, size) > MOST_SPAN / 64) size = 1 + random(2);
    const block = random(4) === 0 ? 1 + random(16) : 1;
    elements *= Math.max(1, size) + block;
    shape.push(size);
    placed.push({ dim, digit: { extent: Math.ceil(size / block), stride: 0 } });
    if (block > 1) placed.push({ dim, digit: { extent: size === 0 ? 0 : block, stride: 0 } });
  }
  const order = placed.map(({ digit }) => digit);
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  // A table of up to 2^20 coordinates takes a tenth of a second: a few are enough.
  const table = elements > 3000 && elements < 2 ** 21;
  const overlaps = random(table ? 400 : 4) === 0;
  let reach = 1;
  for (const digit of order) {
    const spread = random(6) === 0 ? 1 + random(3) : 1;
    let stride = overlaps ? random(2) * (1 + random(1000)) : reach * spread;
    if (random(8) === 0 || stride * digit.extent > MOST_SPAN / 16) stride = 0;
    if (!overlaps) reach = Math.max(reach, stride * Math.max(1, digit.extent));
    digit.stride = random(6) === 0 ? -stride || 0 : stride;
  }
  const digits = shape.map((_, dim) => placed.filter((one) => one.dim === dim).map(({ digit }) => digit));
  return describe(shape, digits, random(4), random(5) === 0 ? random(1000) : 0);
}

/** @param {(path: string) => Promise<any>} load */
async function loadDrawing(load) {
  const parts = await Promise.all(
    [
      'core/layout/tensor.js', 'core/grid/logical.js', 'core/grid/memory.js', 'core/grid/row-length.js',
      'core/grid/viewport.js', 'core/grid/zooming.js', 'core/grid/share.js', 'core/palette.js', 'draw/painter.js', 'draw/logical-edges.js', 'draw/logical-grid.js',
      'draw/memory-grid.js',
    ].map(load),
  );
  const drawing = Object.assign({}, ...parts);
  return { ...drawing, theme: drawing.defaultTheme(false) };
}

/**
 * Draws both grids of a tensor as the page does and as few readers would: any zoom, any place, any text.
 * @param {any} drawing counted modules
 * @param {PlainDescription} layout
 * @param {(below: number) => number} random
 * @returns {number} the greatest share of its bound that a frame took
 */
function drawAnywhere(drawing, layout, random) {
  /** @param {readonly any[]} list */
  const one = (list) => list[random(list.length)];
  const width_css = one([1, 16, 32]);
  const height_css = one([1, 12, 20]);
  const pixelRatio = one([1, 1, 1, 2]);
  steps.restart(MOST_SETUP_STEPS);
  const tensor = drawing.createTensor(layout);
  const { shape } = tensor;
  const slice = random(4) > 0 ? null : shape.map((/** @type {number} */ size) => ({ start: 0, step: 2, count: Math.ceil(size / 2) }));
  const painter = drawing.createPainter({
    tensor, theme: drawing.theme, colour: one(['auto', 'linear', ...tensor.dims]), values: null, slice,
  });
  tensor.ownerOf(0);
  steps.restart(MOST_GRID_STEPS);
  const grid = drawing.createLogicalGrid(tensor, width_css / height_css);
  const rowLength_elems = drawing.rowLengthOf(tensor, one(['auto', 'auto', 'line', 1, 10, 1e6]), one([4, 8, 32]));
  drawing.fairShare(500, (/** @type {number} */ at) => at / grid.rows, (/** @type {number} */ at) => at / 7, 64);

  const coords = tensor.elements > 0 ? shape.map((/** @type {number} */ size) => random(size)) : null;
  const scene = {
    painter, grid, rowLength_elems, itemsize_bits: 32, text: one(['auto', 'linear', 'letter', 'coords', 'address']),
    values: null, selected: coords, hovered: coords, cursor: random(9), pixelRatio,
  };
  const bound = STEPS_PER_FRAME + (STEPS_PER_ROW * height_css + STEPS_PER_PIXEL * width_css * height_css) * pixelRatio ** 2;
  let share = 0;
  for (const logical of [true, false]) {
    const extent = logical
      ? { columns: grid.columns, rows: grid.rows, ...drawing.logicalInsets(tensor, true) }
      : { ...drawing.memoryExtent(tensor, rowLength_elems), ...drawing.memoryInsets(tensor) };
    const insets = random(2) === 0 ? { label_left_css: 0, label_top_css: 0 } : {};
    const whole = drawing.createViewport({ width_css, height_css, ...extent, ...insets });
    const opened = drawing.opening(whole);
    const inside = drawing.changeViewport(whole, {
      cell_css: one([1e-9, 1e-5, 0.01, 0.3, 1, 3, 5, 8, 13, 40]),
      left_cells: Math.floor((random(1000) / 1000) * whole.columns),
      top_cells: Math.floor((random(1000) / 1000) * whole.rows),
    });
    const viewport = one([whole, opened, drawing.zoomAbout(opened, 1 / 3), inside, inside]);
    const draw = logical ? drawing.drawLogical : drawing.drawMemory;
    // The first frame also makes tables, which are kept.
    steps.restart(MOST_SETUP_STEPS);
    draw(context(), { ...scene, viewport });
    steps.restart(bound);
    draw(context(), { ...scene, viewport });
    share = Math.max(share, steps.taken / bound);
  }
  return share;
}

test(`every loop of the drawing ends within a bound by the canvas, for ${TENSORS} tensors`, () =>
  withCounted(async (load) => {
    const drawing = await loadDrawing(load);
    const random = seeded(1);
    let most = 0;
    let huge = 0;
    let empty = 0;
    for (let number = 0; number < TENSORS; number += 1) {
      const layout = anyLayout(random);
      const elements = layout.shape.reduce((all, size) => all * size, 1);
      huge += Number(elements >= 1e12);
      empty += Number(elements === 0);
      try {
        most = Math.max(most, drawAnywhere(drawing, layout, random));
      } catch (error) {
        throw new Error(`tensor ${number}: ${JSON.stringify(layout)}\n${error instanceof Error ? error.stack : error}`);
      }
    }
    assert.ok(Math.min(huge, empty) > TENSORS / 20, `${huge} of 10^12 elements or more, ${empty} empty`);
    assert.ok(most > 0.05, `the bound is far away: ${most}`);
  }));

test('every shape with a size of 0, up to rank 5, is drawn', () =>
  withCounted(async (load) => {
    const drawing = await loadDrawing(load);
    const random = seeded(2);
    const sizes = [0, 1, 3, 1000];
    let drawn = 0;
    for (let rank = 0; rank <= 5; rank += 1) {
      for (let number = 0; number < sizes.length ** rank; number += 1) {
        const shape = Array.from({ length: rank }, (_, dim) => sizes[Math.floor(number / sizes.length ** dim) % sizes.length]);
        if (rank > 0 && !shape.includes(0)) continue;
        const digits = shape.map((extent, dim) => [{ extent, stride: [1, 0, -3, 1000, 7][dim] }]);
        drawAnywhere(drawing, describe(shape, digits, 0, random(2) * 5), random);
        drawn += 1;
      }
    }
    assert.equal(drawn, 1 + 1 + 7 + 37 + 175 + 781);
  }));

test('a loop without an end stops at the limit', () => {
  const endless = counting('let at = 0; for (;;) at += 1;');
  const forward = counting('// for (;;)\nlet at = 0; const s = "while (1)"; while (at >= 0) { at += 1; } for (const one of [1, 2]) at += one;');
  for (const code of [endless, forward]) {
    steps.restart(1000);
    assert.throws(() => new Function(code)(), /goes on after 1000 steps/);
  }
  // Three, and three times two turns and the look that ends the inner loop.
  const source = counting('for (const one of [1, 2, 3]) for (let at = 0; at < 2; at += 1) void one;');
  const nested = /** @type {() => void} */ (new Function(source));
  steps.restart(12);
  nested();
  assert.equal(steps.taken, 12);
  steps.restart(11);
  assert.throws(nested, /goes on/);
});
