import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNIT_COLOURS, unitOf } from '../../../../static/core/cost/units.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { defaultTheme } from '../../../../static/core/palette.js';
import { createUnitPainter } from '../../../../static/draw/cost/unit-painter.js';
import { createPainter } from '../../../../static/draw/painter.js';
import { coordinatesOf, randomLayout, seeded, swizzledLayout } from '../../random-layouts.js';

const THEME = defaultTheme(false);

test('an element has the colour of its address, in the memory and in the logical tensor', () => {
  const random = seeded(41);
  let compared = 0;
  for (let number = 0; number < 300; number += 1) {
    const plain = randomLayout(random);
    const tensor = createTensor(number % 2 === 0 ? plain : swizzledLayout(random, plain));
    const slice = random(2) === 0 ? tensor.shape.map((extent) => ({ start: 0, step: 2, count: Math.ceil(extent / 2) })) : null;
    const stored = createPainter({ tensor, theme: THEME, colour: 'auto', values: null, slice });
    const colour = Object.keys(UNIT_COLOURS)[random(4)];
    const unit = unitOf(colour, { line_bytes: [4, 8, 64][random(3)], page_bytes: 16, itemsize_bits: [4, 8, 32][random(3)] });
    assert.ok(unit);
    const painter = createUnitPainter(stored, unit);
    const out = new Uint32Array(tensor.bufferElements);
    painter.paintAddresses(0, 1, out.length, out, 0, 0, false);
    /** @type {Map<number, number>} */
    const words = new Map();
    for (const coords of coordinatesOf(tensor.shape)) {
      const address = tensor.addressOf(coords);
      const word = painter.wordOf(coords, 0);
      assert.equal(words.get(unit.indexOf(address)) ?? word, word);
      words.set(unit.indexOf(address), word);
      if (!slice) assert.equal(out[address], word);
      compared += 1;
    }
    if (tensor.elements === 0) continue;
    // The logical grid paints a row at a time, by the sums of its colour weights.
    const last = tensor.shape.length - 1;
    const row = new Uint32Array(last < 0 ? 1 : tensor.shape[last]);
    const lightStep = last < 0 ? 0 : painter.light[last];
    const sums = { hue: 0, light: 0, hueStep: 0, lightStep, inside: true };
    painter.paintRun(sums, Float64Array.from(row, (_, at) => at), new Uint8Array(row.length).fill(1), row, 0, 0, row.length);
    const first = tensor.shape.map(() => 0);
    row.forEach((word, at) => assert.equal(word, painter.wordOf(last < 0 ? [] : first.with(last, at), 0)));
  }
  assert.ok(compared > 1000);
});
