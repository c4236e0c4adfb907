import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsOf } from '../../../../static/core/network/box-texts.js';
import { FAR, FARTHEST } from '../../../../static/core/network/viewport.js';

const NODE = { kind: /** @type {const} */ ('node'), width: 148, height: 42, title: 'conv2d', detail: '1×64×56×56', lost: '' };
const REORDER = { ...NODE, kind: /** @type {const} */ ('reorder'), width: 136, height: 32, title: 'NCHW → NCHW16c', detail: '33.6 MB' };
const LOSING = { ...NODE, height: 57, title: 'flatten', lost: 'NCHW16c' };
const BOXES = [
  NODE, REORDER, LOSING,
  { ...NODE, title: 'hardsigmoid' },
  { ...NODE, title: 'adaptive_avg_pool2d', height: 52 },
  { ...LOSING, title: 'adaptive_avg_pool2d', lost: 'channels_last' },
  { ...LOSING, lost: '4 layouts' },
  { ...NODE, kind: /** @type {const} */ ('fold'), height: 56, title: 'batch_norm… ×6', detail: '7 operators each' },
  { ...NODE, title: 'an_operator_that_somebody_named_at_length', detail: '1024×1024×1024×1024×1024' },
  { ...NODE, title: 'QLinearConv' },
  { ...REORDER, title: 'ABcd16b16a2b → OIhw4i16o4i' },
];

test('each text fits its box, and none is empty, from far away and near', () => {
  /** @param {string} text @param {number} width @param {number} scale */
  const inside = (text, width, scale) => text !== '' && text.length * 0.6 * 11 <= width * scale;
  for (const box of BOXES) {
    const { near, far } = textsOf(box);
    for (const { whole, short } of near) {
      assert.ok(inside(whole, box.width, 1), whole);
      assert.ok(inside(short, box.width, FAR), short);
    }
    assert.ok(far.length > 0);
    for (const { text, y } of far) {
      assert.ok(inside(text, box.width, FARTHEST), text);
      assert.ok(Math.abs(y) < box.height / 2, `${text} at ${y}`);
    }
  }
});

test('from far away a title breaks where a word ends, and a loss is a word', () => {
  const far = (/** @type {typeof BOXES[number]} */ box) => textsOf(box).far.map(({ text }) => text);
  assert.deepEqual(BOXES.slice(0, 8).map(far), [
    ['conv2d'], ['→ NCHW16c'], ['flatten', '✕ lost'], ['hardsigmo…'], ['adaptive_', 'avg_pool2d'], ['adaptive_…', '✕ lost'],
    ['flatten', '✕ lost'], ['batch_', 'norm… ×6'],
  ]);
  assert.deepEqual(far(BOXES[9]), ['QLinear', 'Conv']);
});

test('a cut text has its whole where there is room, or says that it is cut', () => {
  const near = (/** @type {typeof BOXES[number]} */ box) => textsOf(box).near.at(-1);
  assert.deepEqual(near(BOXES[2]), { name: 'lost', whole: '✕ loses NCHW16c', short: '✕ loses NCHW16c' });
  assert.deepEqual(near(BOXES[6])?.whole, '✕ loses 4 layouts');
  assert.deepEqual(BOXES.map((box) => textsOf(box).cut), [false, false, false, false, true, true, true, false, true, false, true]);
  const { whole, short } = textsOf(BOXES[4]).near[0];
  assert.deepEqual([whole, short], ['adaptive_avg_pool2d', 'adaptive_avg_po…']);
});
