import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultTheme } from '../../../../static/core/palette.js';
import { drawRegisters, registersSize } from '../../../../static/draw/reorder/registers.js';

const CHARACTER_CSS = 6.2; // of a sans of 11 pixels

test('beside each other the names of the stages fit, the last one, too', () => {
  const lane = { kept: false, source: null, target: 0, row: 0, column: 0 };
  const stage = Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => lane));
  const registers = /** @type {any} */ ({ kind: 'transpose', lanes: 4, unit_bits: 32, stages: [stage, stage, stage] });
  const width_css = 172; // in a window of 1024
  const { across, width_css: drawn_css } = registersSize(registers, width_css);
  assert.equal(across, 3);
  /** @type {[string, number][]} */
  const names = [];
  const nothing = () => {};
  const pen = /** @type {any} */ (new Proxy({ canvas: {}, fillText: (/** @type {string} */ text, /** @type {number} */ x) => names.push([text, x]) }, { get: (own, name) => Reflect.get(own, name) ?? nothing, set: () => true }));
  drawRegisters(pen, registers, { width_css, theme: defaultTheme(true), pixelRatio: 1, target: -1, colourOf: () => null });
  assert.deepEqual(names.map(([text]) => text), ['loaded', 'round 1', 'stored']);
  for (const [text, x] of names) assert.ok(x + text.length * CHARACTER_CSS <= drawn_css, text);
});
