import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { createViewport } from '../../../static/core/grid/viewport.js';
import { pickedTensor } from '../../../static/core/layout/picked.js';
import { UNVIEWED } from '../../../static/core/layout/kinds.js';
import { coordsIn } from '../../../static/core/layout/same-memory.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { defaultTheme } from '../../../static/core/palette.js';
import { createPainter } from '../../../static/draw/painter.js';
import { paintPlanes } from '../../../static/draw/planes.js';
import { sampleViewport } from '../../../static/draw/surface.js';
import { createMemoryPainter, createSlicePainter, createViewPainter } from '../../../static/draw/view-painter.js';
import { coordinatesOf, randomLayout, seeded, swizzledLayout } from '../random-layouts.js';

const THEME = defaultTheme(false);

/**
 * A random view: dimensions in another order, some halved, some flipped where they have one digit.
 * @param {(below: number) => number} random
 * @param {import('../random-layouts.js').PlainDescription} plain
 */
function randomView(random, plain) {
  const order = plain.shape.map((_, dim) => dim);
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  let { offset } = plain;
  const parts = order.map((dim) => {
    const [digit, ...more] = plain.digits[dim];
    if (more.length > 0 || digit.extent !== plain.shape[dim] || plain.swizzle || random(2) === 0) {
      return { size: plain.shape[dim], digits: plain.digits[dim] };
    }
    const size = digit.extent - random(Math.max(1, digit.extent - 1));
    if (size > 0 && random(2) === 0) {
      offset += (size - 1) * digit.stride;
      return { size, digits: [{ extent: size, stride: -digit.stride }] };
    }
    return { size, digits: [{ extent: size, stride: digit.stride }] };
  });
  const dims = order.map((dim) => plain.dims[dim]).join('');
  return { ...plain, offset, dims, shape: parts.map(({ size }) => size), digits: parts.map(({ digits }) => digits) };
}

test('elements of a view and of its slice look as in the memory, and what is left out fades', () => {
  const random = seeded(2026);
  let compared = 0;
  let left = 0;
  for (let number = 0; number < 250; number += 1) {
    const drawn = randomLayout(random);
    const plain = number % 4 === 0 ? swizzledLayout(random, drawn) : drawn;
    const memory = createTensor(plain);
    const tensor = createTensor(randomView(random, plain));
    if (tensor.elements === 0) continue;
    const stored = createPainter({ tensor: memory, theme: THEME, colour: ['auto', 'linear'][random(2)], values: null, slice: null });
    const slice = random(2) === 0 ? tensor.shape.map((extent) => ({ start: extent - 1, step: -2, count: Math.ceil(extent / 2) })) : null;
    const painter = createViewPainter(stored, tensor, slice);
    const grid = createLogicalGrid(tensor);
    const viewport = createViewport({ width_css: 8 * grid.columns, height_css: 8 * grid.rows, columns: grid.columns, rows: grid.rows, cell_css: 8 });
    const sampling = sampleViewport(viewport, 1);
    const words = new Uint32Array(sampling.width_px * sampling.height_px);
    const { width_px, height_px } = sampling;
    const surface = /** @type {import('../../../static/draw/surface.js').Surface} */ ({ words, width_px, height_px });
    paintPlanes({ painter, grid, viewport, text: 'auto', values: null, selected: null, hovered: null, pixelRatio: 1 }, surface, sampling);
    const textOf = painter.textOf('coords', null);
    const taken = new Set();
    for (const coords of coordinatesOf(tensor.shape)) {
      const there = coordsIn(memory, tensor, coords);
      assert.ok(there);
      const { column, row } = grid.cellOf(coords);
      const faded = painter.isMember(coords) ? 0 : painter.faded;
      if (faded === 0) taken.add(tensor.addressOf(coords));
      assert.equal(words[row * width_px + column], stored.wordOf(there, faded));
      assert.equal(textOf(coords), stored.textOf('coords', null)(there));
      compared += 1;
    }
    const under = createMemoryPainter(stored, tensor, slice);
    const out = new Uint32Array(memory.bufferElements);
    const whole = new Uint32Array(memory.bufferElements);
    const step = [1, 1, 2.5][random(3)];
    const count = Math.ceil(memory.bufferElements / step);
    const met = under.paintAddresses(0, step, count, out, 0, 0, false);
    const seen = new Set(Array.from({ length: count }, (_, at) => Math.floor(at * step)));
    const viewed = new Set(Array.from(coordinatesOf(tensor.shape), (coords) => tensor.addressOf(coords)));
    const unviewed = [...seen].some((address) => !viewed.has(address) && ['element', 'shared'].includes(memory.ownerOf(address).kind));
    assert.equal(Boolean(met & (1 << UNVIEWED)), unviewed);
    stored.paintAddresses(0, step, count, whole, 0, 0, false);
    for (let at = 0; at < count; at += 1) {
      const address = Math.floor(at * step);
      const owner = memory.ownerOf(address);
      if (owner.coords === null || owner.kind === 'padding') assert.equal(out[at], whole[at]);
      // With a slice, the first of several owners decides.
      else if (slice !== null && tensor.shares) continue;
      else if (taken.has(address)) assert.equal(out[at], whole[at]);
      else if (slice === null || (memory.nested && !memory.shares)) {
        assert.equal(out[at], stored.wordOf(owner.coords, stored.faded));
        left += 1;
      }
    }
    const { tensor: result, ...picked } = pickedTensor(tensor, tensor.shape.map((extent, dim) => ({ dim, start: extent - 1, step: -1, count: extent, kept: true })));
    const flipped = createSlicePainter(painter, { ...picked, tensor: result });
    const first = result.shape.map(() => 0);
    const last = tensor.shape.map((extent) => extent - 1);
    assert.equal(flipped.wordOf(first, 0), painter.wordOf(last, 0));
    assert.equal(flipped.textOf('coords', null)(first), textOf(last));
  }
  assert.ok(compared > 2000 && left > 200, `${compared} compared, ${left} left out`);
});
