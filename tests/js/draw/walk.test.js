import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steps, withCounted } from '../counted.js';
import { describe, randomLayout, seeded, swizzledLayout } from '../random-layouts.js';

/** What a step of a walk may take: 33 visits with a search in 256 steps each, a few turns for each frame. */
const MOST_STEPS = 33 * (256 + 64) + 2000;
const TENSORS = 300;

class Nothing {
  rect() {}
  moveTo() {}
  lineTo() {}
  quadraticCurveTo() {}
}

Object.assign(globalThis, { Path2D: Nothing });

/** A canvas context that counts what is stroked and filled. */
function context() {
  const calls = { drawn: 0 };
  const methods = new Set(['strokeRect', 'fillRect', 'stroke', 'fill', 'fillText']);
  const get = (/** @type {object} */ _, /** @type {string} */ name) => () => {
    calls.drawn += Number(methods.has(name));
    return null;
  };
  return { calls, pen: /** @type {any} */ (new Proxy({}, { get, set: () => true })) };
}

/** A tensor of up to 10^15 elements, strides in any order. @param {(below: number) => number} random */
function largeLayout(random) {
  const sizes = [1, 3, 64, 1000, 3000];
  const shape = Array.from({ length: 1 + random(5) }, () => sizes[random(sizes.length)]);
  const order = shape.map((_, dim) => dim).sort(() => random(3) - 1);
  let reach = 1;
  const strides = shape.map(() => 0);
  for (const dim of order) {
    strides[dim] = random(8) === 0 ? 0 : reach * (random(5) === 0 ? -1 : 1) + (random(6) === 0 ? 1 : 0);
    reach *= shape[dim];
  }
  return describe(shape, shape.map((extent, dim) => [{ extent, stride: strides[dim] }]), 0);
}

test('a step of a walk takes as much work for 10^12 elements as for ten', () =>
  withCounted(async (load) => {
    const { createTensor } = await load('core/layout/tensor.js');
    const { loopWalk, memoryWalk } = await load('core/walk/walk.js');
    const { countersOf, movedLoop } = await load('core/walk/counters.js');
    const { createViewport, reveal } = await load('core/grid/viewport.js');
    const { cellOfAddress, memoryExtent } = await load('core/grid/memory.js');
    const { defaultTheme } = await load('core/palette.js');
    const { drawWalk } = await load('draw/walk/marks.js');
    const random = seeded(41);
    let most = 0;
    let drawn = 0;
    let huge = 0;
    for (let number = 0; number < TENSORS; number += 1) {
      const small = randomLayout(random);
      const layout = [largeLayout(random), small, swizzledLayout(random, small)][random(3)];
      // The table of a small tensor is made once.
      steps.restart(2 ** 25);
      const tensor = createTensor(layout);
      tensor.ownerOf(0);
      if (tensor.elements === 0) continue;
      huge += Number(tensor.elements > 1e9);
      const dims = layout.shape.map((/** @type {number} */ _, /** @type {number} */ dim) => dim);
      for (const walk of [memoryWalk(tensor), loopWalk(tensor, dims.reverse())]) {
        const at = Math.floor((random(1000) / 1000) * walk.steps);
        const row = 1 + random(300);
        steps.restart(MOST_STEPS);
        const visits = Array.from({ length: Math.min(33, at + 1) }, (_, back) => walk.at(at - back, 256));
        countersOf(walk, visits[0]);
        movedLoop(walk, visits[0]);
        const [now, ...trail] = visits.map(({ address }) => cellOfAddress(address, row));
        const whole = createViewport({ width_css: 1900, height_css: 500, ...memoryExtent(tensor, row), cell_css: [0.3, 1, 8, 40][random(4)] });
        const { calls, pen } = context();
        drawWalk(pen, reveal(whole, now), defaultTheme(false), { trail, most: 32, now, jump: '+7' }, new Set());
        most = Math.max(most, steps.taken);
        drawn = Math.max(drawn, calls.drawn);
      }
    }
    assert.ok(huge > 10, `${huge} large tensors`);
    // Two strokes for each cell of the trail, a few for the arrow, its number and the cell of now.
    assert.ok(drawn > 40 && drawn <= 2 * 32 + 16, `${drawn}`);
    assert.ok(most > 33 && most < MOST_STEPS, `${most}`);
  }));
