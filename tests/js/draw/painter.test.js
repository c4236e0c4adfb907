import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { contrast, defaultTheme, fromWord, parseColour, toCss } from '../../../static/core/palette.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { createViewport } from '../../../static/core/grid/viewport.js';
import { createCellText } from '../../../static/draw/cell-text.js';
import { createPainter } from '../../../static/draw/painter.js';
import { paintPlanes } from '../../../static/draw/planes.js';
import { averageSamples, SAMPLES, sampleViewport } from '../../../static/draw/surface.js';
import { coordinatesOf, describe, randomLayout, seeded, swizzledLayout } from '../random-layouts.js';

/** @typedef {import('../../../static/core/types.js').Values} Values */
/** @typedef {import('../../../static/draw/types.js').Painter} Painter */

const THEME = defaultTheme(false);

/**
 * @param {readonly number[]} shape
 * @param {readonly number[]} strides
 * @param {string} [dims]
 */
function strided(shape, strides, dims) {
  const layout = describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0);
  return createTensor(dims === undefined ? layout : { ...layout, dims });
}

/**
 * @param {(below: number) => number} random
 * @param {import('../../../static/core/types.js').Tensor} tensor
 * @returns {Painter}
 */
function randomPainter(random, tensor) {
  /** @type {Values | null} */
  const values =
    random(2) === 0
      ? { data: Float32Array.from({ length: tensor.elements }, () => random(1000) - 500), role: 'data' }
      : null;
  const colour = ['auto', 'channel', 'linear', 'value', ...tensor.dims][random(4 + tensor.dims.length)];
  const slice =
    random(2) === 0
      ? tensor.shape.map((extent) => {
          const step = [1, 2, 3, -1, -2][random(5)];
          const count = 1 + random(Math.max(1, Math.ceil(extent / Math.abs(step))));
          return { start: step > 0 ? 0 : extent - 1, step, count };
        })
      : null;
  return createPainter({ tensor, theme: THEME, colour, values, slice });
}

test('memory pixels carry the colour of the element that owns the address, at every step', () => {
  const random = seeded(99);
  let compared = 0;
  for (let number = 0; number < 800; number += 1) {
    const plain = randomLayout(random);
    const tensor = createTensor(number % 2 === 0 ? plain : swizzledLayout(random, plain));
    const painter = randomPainter(random, tensor);
    const broadcast = tensor.digits.some((digits) => digits.some(({ extent, stride }) => stride === 0 && extent > 1));
    const step = [1, 1, 2, 0.25, 3.7, 11][random(6)];
    const first = random(5) - 2;
    const count = Math.max(1, Math.ceil((tensor.bufferElements + 4) / step));
    const words = new Uint32Array(count + 3);
    painter.paintAddresses(first, step, count, words, 2, 0, false);
    for (let pixel = 0; pixel < count; pixel += 1) {
      const owner = tensor.ownerOf(Math.floor(first + pixel * step));
      const word = words[2 + pixel];
      const owned = owner.kind === 'element' || owner.kind === 'shared';
      if (owned && (!broadcast || painter.masks.length === 0)) {
        assert.equal(toCss(fromWord(word)), painter.cell(owner.coords ?? []).fill);
        compared += 1;
      } else if (owner.kind === 'gap' || owner.kind === 'outside') {
        assert.equal(word, 0);
      } else {
        assert.notEqual(word, 0);
      }
    }
    assert.deepEqual([words[0], words[1], words[count + 2]], [0, 0, 0], 'nothing beside the row is touched');
  }
  assert.ok(compared > 5000, `${compared} pixels compared`);
});

/**
 * A gap that is narrower than a pixel belongs to the plane before it.
 * @param {number} cell @param {number} pitch @param {number} extent @param {number} step
 */
function bridged(cell, pitch, extent, step) {
  const within = cell % pitch;
  return step > pitch - extent && within >= extent ? cell - within + extent - 1 : cell;
}

test('logical pixels carry the colour of the element that lies there, sampled or not', () => {
  const random = seeded(5);
  let compared = 0;
  for (let number = 0; number < 300; number += 1) {
    const tensor = createTensor(randomLayout(random));
    if (tensor.elements === 0) continue;
    const painter = randomPainter(random, tensor);
    const grid = createLogicalGrid(tensor, 0.5 + random(40) / 10);
    const viewport = createViewport({
      width_css: 40, height_css: 30, columns: grid.columns, rows: grid.rows,
      cell_css: [0.2, 0.45, 0.8, 1, 3, 9][random(6)], left_cells: random(50) / 3, top_cells: random(50) / 3,
    });
    const sampling = sampleViewport(viewport, 1);
    const { width_px, height_px, firstColumn, firstRow, step_cells, step_rows } = sampling;
    const words = new Uint32Array(width_px * height_px).fill(7);
    const surface = /** @type {any} */ ({ words, width_px, height_px });
    const scene = { painter, grid, viewport, text: /** @type {const} */ ('auto'), values: null, selected: null, hovered: null, pixelRatio: 1 };
    paintPlanes(scene, surface, sampling);
    for (let y = 0; y < height_px; y += 1) {
      for (let x = 0; x < width_px; x += 1) {
        const column = bridged(Math.floor(firstColumn + x * step_cells), grid.pitchColumns, grid.planeColumns, step_cells);
        const below = bridged(Math.floor(firstRow + y * step_rows), grid.pitchRows, grid.planeRows, step_rows);
        const row = below;
        const coords = grid.coordsAt(column, row);
        const word = words[y * width_px + x];
        if (coords === null) assert.equal(word, 0);
        else assert.equal(toCss(fromWord(word)), painter.cell(coords).fill);
        compared += coords === null ? 0 : 1;
      }
    }
  }
  assert.ok(compared > 5000, `${compared} pixels compared`);
});

test('an address of a broadcast dimension is in the slice when any of its coordinates is', () => {
  const tensor = strided([3, 4], [0, 1]);
  const slice = [{ start: 2, step: 1, count: 1 }, { start: 0, step: 1, count: 2 }];
  const whole = createPainter({ tensor, theme: THEME, colour: 'auto', values: null, slice: null });
  const part = createPainter({ tensor, theme: THEME, colour: 'auto', values: null, slice });
  const [all, some] = [new Uint32Array(4), new Uint32Array(4)];
  whole.paintAddresses(0, 1, 4, all, 0, 0, false);
  part.paintAddresses(0, 1, 4, some, 0, 0, false);
  assert.deepEqual([...all].map((word, at) => word === some[at]), [true, true, false, false]);
  assert.equal(part.isMember([2, 1]), true);
  assert.equal(part.isMember([0, 1]), false);
});

test('channels differ in hue and places in lightness, whatever the layout', () => {
  const shape = [2, 5, 4, 4];
  const nchw = strided(shape, [80, 16, 4, 1], 'NCHW');
  const nhwc = strided(shape, [80, 1, 20, 5], 'NCHW');
  const painters = [nchw, nhwc].map((tensor) =>
    createPainter({ tensor, theme: THEME, colour: 'auto', values: null, slice: null }),
  );
  const fills = new Map();
  for (const coords of coordinatesOf(shape)) {
    const [fill, other] = painters.map((painter) => painter.cell(coords).fill);
    assert.equal(fill, other, 'the same cell has the same colour in every layout');
    fills.set(fill, coords.slice(1).join());
  }
  assert.equal(fills.size, 5 * 16, 'channel and place have a colour of their own');
});

test('a picture has its red, green and blue planes tinted', () => {
  const tensor = strided([1, 3, 1, 2], [6, 2, 2, 1], 'NCHW');
  const data = Uint8Array.of(255, 0, 255, 0, 255, 0);
  const painter = createPainter({ tensor, theme: THEME, colour: 'auto', values: { data, role: 'picture' }, slice: null });
  for (const channel of [0, 1, 2]) {
    const light = parseColour(painter.cell([0, channel, 0, 0]).fill);
    assert.equal(light.indexOf(Math.max(...light)), channel);
    assert.ok(Math.max(...parseColour(painter.cell([0, channel, 0, 1]).fill)) < 20);
  }
});

test('text on every colour of every scale has a contrast of at least 4.5', () => {
  const tensor = strided([1, 8, 16, 16], [2048, 256, 16, 1], 'NCHW');
  const data = Uint8Array.from({ length: 2048 }, (_, at) => at % 256);
  const forced = { ...THEME, background: 'rgb(0, 0, 0)', text: '#ffff00', forced: true };
  for (const theme of [THEME, defaultTheme(true), forced]) {
    for (const [colour, role] of [['channel', 'data'], ['value', 'data'], ['value', 'picture'], ['C', 'data'], ['H', 'data']]) {
      const values = /** @type {Values} */ ({ data, role });
      const painter = createPainter({ tensor, theme, colour, values, slice: null });
      for (const coords of coordinatesOf(tensor.shape)) {
        const { fill, ink } = painter.cell(coords);
        assert.ok(contrast(parseColour(fill), parseColour(ink)) >= 4.5, `${ink} on ${fill} (${colour})`);
      }
    }
  }
});

test('values that do not fit the elements are refused', () => {
  const values = /** @type {Values} */ ({ data: new Uint8Array(5), role: 'picture' });
  const options = { tensor: strided([2, 3], [3, 1]), theme: THEME, colour: 'auto', values, slice: null };
  assert.throws(() => createPainter(options), /5 values for 6 elements/);
});

test('cells say the letter, the padded linear index, the value, the address or the coordinates', () => {
  const small = strided([2, 3], [1, 2]);
  const figure = strided([2, 64, 3, 3], [576, 9, 3, 1]);
  const huge = strided([1000, 1000, 1000], [1000000, 1000, 1]);
  /** @type {(...asked: [import('../../../static/core/types.js').Tensor, number[], import('../../../static/draw/types.js').CellText, Values | null]) => string} */
  const cellText = (tensor, coords, text, held) => createCellText(tensor, text, held)(coords);
  const values = /** @type {Values} */ ({ data: BigInt64Array.of(0n, 9007199254740993n, 2n, 3n, 4n, 5n), role: 'data' });
  const floats = /** @type {Values} */ ({ data: Float32Array.of(0.1, -1234.56, NaN, 1e-9, -Infinity, 3), role: 'data' });
  assert.equal(cellText(small, [1, 0], 'auto', null), 'D');
  assert.equal(cellText(figure, [0, 1, 0, 0], 'auto', null), '0009');
  assert.equal(cellText(figure, [0, 1, 0, 0], 'letter', null), '0009');
  assert.equal(cellText(huge, [0, 0, 12], 'auto', null), '12');
  assert.equal(cellText(small, [0, 1], 'auto', values), '9007199254740993');
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((at) => cellText(small, [Math.floor(at / 3), at % 3], 'value', floats)),
    ['0.1', '-1230', 'NaN', '1.0e-9', '-Infinity', '3'],
  );
  assert.equal(cellText(small, [1, 2], 'address', null), '5');
  assert.equal(cellText(small, [1, 2], 'coords', null), '1,2');
  assert.equal(cellText(small, [1, 2], 'value', null), '5');
});

test('the mean of samples is the mean of every colour part, over the background', () => {
  const samples = Uint32Array.of(0xff0000ff, 0xff00ff00, 0xffff0000, 0, 0xff646464, 0xff646464, 0xff646464, 0xff646464);
  const out = new Uint32Array(3);
  averageSamples(samples, 0xffffffff, out, 1, samples.length / SAMPLES);
  assert.deepEqual([...out].map((word) => word.toString(16)), ['0', 'ff7f7f7f', 'ff646464']);
});
