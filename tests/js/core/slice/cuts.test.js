import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { pickedTensor } from '../../../../static/core/layout/picked.js';
import { changeCut, picksOf, readCuts, writeCuts } from '../../../../static/core/slice/cuts.js';
import { spanOf } from '../../../../static/core/slice/span.js';
import { coordinatesOf, randomLayout, seeded } from '../../random-layouts.js';

/** @typedef {import('../../../../static/core/slice/cuts.js').Cuts} Cuts */

const SHAPE = [2, 6, 8];

/** @param {string} text @param {readonly number[]} [shape] */
function read(text, shape = SHAPE) {
  const slice = readCuts(text, shape);
  assert.ok(slice, text);
  return slice;
}

test('a slice is read and written, in the fewest words', () => {
  for (const [text, written] of [
    ['', ''],
    ['...', ''],
    [':, :, :', ''],
    ['[0, ::-1, 1:3]', '0, ::-1, 1:3'],
    ['..., 1:7:2', '..., 1:7:2'],
    [':, 2:', ':, 2:'],
    ['1, :, :', '1'],
    ['None, -1, ..., newaxis, -3:', 'None, 1, :, None, 5:'],
    ['..., 6:1:-2', '..., 6:1:-2'],
    ['..., -99:99, 99::-1', ':, :, ::-1'],
    ['0,1,2; 1,5,3; 1,-2,1', '0,1,2; 1,5,3; 1,-2,1'],
  ]) {
    const again = writeCuts(read(text), SHAPE);
    assert.equal(again, written === ':, :, ::-1' ? '..., ::-1' : written, text);
    assert.deepEqual(read(again), read(text));
  }
  for (const wrong of ['3', '0,0,0,0', '1:2:0', 'x', '..., ...', '0,0,0; 3,1,1; 1,1,1', '0; 1; 1', '0,0,0; 0,1,1; 1,1,1', '0 1', '::::', '1.5']) {
    assert.equal(readCuts(wrong, SHAPE), null, wrong);
  }
});

test('one cut is changed, and the others stay as they are written', () => {
  const slice = read('0, ::-1');
  assert.equal(writeCuts(changeCut(slice, 1, { low: 2 }), SHAPE), '0, :1:-1');
  assert.equal(writeCuts(changeCut(slice, 1, { high: 5, step: 2 }), SHAPE), '0, :5:2');
  assert.equal(writeCuts(changeCut(slice, 0, { high: 2, index: false }), SHAPE), ':, ::-1');
  const window = read('0,0,0; 1,6,8; 1,1,2; 1,2,2');
  assert.equal(writeCuts(changeCut(window, 2, { step: -2 }), SHAPE), '0,0,0; 1,6,8; 1,1,-2');
});

/** @param {(below: number) => number} random @param {readonly number[]} shape @returns {Cuts} */
function randomCuts(random, shape) {
  const cuts = shape.map((size) => {
    const low = random(size);
    if (random(4) === 0) return { low, high: low + 1, step: 1, index: true };
    return { low, high: low + random(size - low + 1), step: (1 + random(3)) * (random(2) === 0 ? 1 : -1), index: false };
  });
  return { cuts, axes: Array.from({ length: random(2) }, () => random(shape.length + 1)), window: false, most: null };
}

test('what is written is read back, and takes what Python takes', () => {
  const random = seeded(91);
  for (let number = 0; number < 2000; number += 1) {
    const shape = Array.from({ length: random(4) }, () => 1 + random(7));
    const slice = randomCuts(random, shape);
    const again = readCuts(writeCuts(slice, shape), shape);
    assert.ok(again);
    assert.deepEqual(picksOf(again).map(takenBy), picksOf(slice).map(takenBy), writeCuts(slice, shape));
  }
  assert.deepEqual(picksOf(read('0, ::-2, None, 1:7:3')), [
    { dim: 0, start: 0, step: 1, count: 1, kept: false },
    { dim: 1, start: 5, step: -2, count: 3, kept: true },
    { dim: null, start: 0, step: 1, count: 1, kept: true },
    { dim: 2, start: 1, step: 3, count: 2, kept: true },
  ]);
  assert.deepEqual(picksOf(read('0,1,2; 1,5,3; 1,-2,1; 1,2,9')).map(({ start, count }) => [start, count]), [[0, 1], [5, 2], [2, 3]]);
});

/** @param {import('../../../../static/core/slice/cuts.js').Pick} pick */
function takenBy({ start, step, count, kept }) {
  return [kept, ...Array.from({ length: count }, (_, at) => start + step * at)];
}

test('the addresses of a slice are counted without visiting them', () => {
  const random = seeded(92);
  let counted = 0;
  for (let number = 0; number < 1500; number += 1) {
    const tensor = createTensor(randomLayout(random));
    if (tensor.elements === 0) continue;
    const picks = picksOf(randomCuts(random, tensor.shape));
    const span = spanOf(tensor, picks);
    assert.ok(span);
    const result = pickedTensor(tensor, picks).tensor;
    const met = result.elements === 0 ? [] : [...coordinatesOf(result.shape)].map((coords) => result.addressOf(coords));
    const spanned = met.length === 0 ? 0 : Math.max(...met) - Math.min(...met) + 1;
    assert.equal(span.spanned, spanned);
    if (span.used === null) continue;
    assert.equal(span.used, new Set(met).size);
    counted += 1;
  }
  assert.ok(counted > 700, `${counted}`);
});
