import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { defaultTheme } from '../../../static/core/palette.js';
import { createCellText } from '../../../static/draw/cell-text.js';
import { channelDim } from '../../../static/draw/colours.js';
import { createPainter } from '../../../static/draw/painter.js';
import { coordinatesOf, describe, randomLayout, seeded, swizzledLayout } from '../random-layouts.js';

/** @typedef {import('../../../static/core/types.js').Tensor} Tensor */
/** @typedef {import('../../../static/draw/types.js').CellText} CellText */

/**
 * @param {string} dims
 * @param {readonly number[]} shape
 * @param {readonly (readonly number[])[]} [blocks] inner extents per dimension, outermost first
 */
function dense(dims, shape, blocks = shape.map(() => [])) {
  const inner = blocks.map((list) => list.reduce((all, extent) => all * extent, 1));
  let stride = 1;
  const digits = shape.map((size, dim) => [Math.ceil(size / inner[dim]), ...blocks[dim]].map((extent) => ({ extent, stride: 0 })));
  // Blocks lie innermost, then the outer digits, the last dimension first.
  const order = [...digits.flatMap((list) => list.slice(1)), ...digits.map((list) => list[0])].reverse();
  for (const digit of [...order.slice(shape.length), ...order.slice(0, shape.length)]) {
    digit.stride = stride;
    stride *= digit.extent;
  }
  return createTensor({ ...describe(shape, digits, 0), dims });
}

/** @param {Tensor} tensor @param {Tensor} [like] */
function painterOf(tensor, like) {
  return createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null, like });
}

test('the same memory has the same colours, whatever its dimensions are called', () => {
  const rows = /** @type {[string[], number[], number[][]?][]} */ ([
    [['NCHW', 'abcd'], [2, 8, 3, 3], [[], [4], [], []]],
    [['NCHW', 'abcd', 'OIHW'], [2, 8, 3, 3]],
    [['NCDHW', 'abcde'], [2, 8, 2, 3, 3], [[], [4], [], [], []]],
    [['NCDHW', 'abcde', 'GOIHW'], [2, 8, 2, 3, 3]],
    [['OIHW', 'abcd'], [32, 8, 3, 3], [[16], [], [], []]],
    [['OIHW', 'abcd'], [16, 8, 3, 3], [[4], [8], [], []]],
    [['GOIHW', 'abcde'], [2, 16, 8, 3, 3], [[], [4], [8], [], []]],
    [['NCW', 'abc', 'OIW'], [2, 8, 5]],
    [['NCW', 'abc', 'OIW'], [2, 8, 5], [[], [4], []]],
    [['NC', 'ab', 'OI', 'HW', 'MN'], [4, 6]],
    [['OI', 'ab'], [4, 8], [[], [4]]],
  ]);
  for (const [names, shape, blocks] of rows) {
    const painters = names.map((dims) => painterOf(dense(dims, shape, blocks)));
    for (const coords of coordinatesOf(shape)) {
      const fills = new Set(painters.map((painter) => painter.cell(coords).fill));
      assert.equal(fills.size, 1, `${names} ${shape} at ${coords}`);
    }
  }
});

test('the channels are the blocked dimension, else the one named C, else the second', () => {
  for (const [dims, shape, blocks, expected] of /** @type {[string, number[], number[][] | undefined, number][]} */ ([
    ['abcd', [2, 8, 3, 3], [[], [4], [], []], 1],
    ['abcd', [2, 8, 3, 3], undefined, 1],
    ['OIHW', [32, 8, 3, 3], [[16], [], [], []], 0],
    ['OIHW', [8, 8, 2, 2], [[8], [4, 2], [], []], 1],
    ['NCHW', [8, 8, 2, 3], [[4], [4], [], []], 1],
    ['NHWC', [2, 4, 4, 3], undefined, 3],
    ['HWC', [4, 4, 3], undefined, 2],
    ['CHW', [3, 4, 4], undefined, 0],
    ['CHW', [3, 8, 8], [[], [4], [4]], 0],
    ['NCHW', [2, 1, 4, 4], undefined, 0],
    ['NCHW', [1, 1, 3, 5], undefined, 2],
    ['HW', [4, 8], [[2], [4]], 0],
    ['C', [8], undefined, -1],
  ])) {
    assert.equal(channelDim(dense(dims, shape, blocks)), expected, `${dims} ${shape} ${JSON.stringify(blocks)}`);
  }
  assert.equal(channelDim(createTensor(describe([], [], 0))), -1);
});

test('a second layout is coloured by the channels of the first', () => {
  const blocked = dense('OIHW', [32, 8, 3, 3], [[16], [], [], []]);
  const plain = dense('OIHW', [32, 8, 3, 3]);
  const [second, first] = [painterOf(plain, blocked), painterOf(blocked)];
  for (const coords of coordinatesOf([32, 8, 3, 3])) {
    assert.equal(second.cell(coords).fill, first.cell(coords).fill);
  }
});

test('elements that share an address have one text and one colour, which memory shows', () => {
  const random = seeded(31);
  let shared = 0;
  for (let number = 0; number < 300; number += 1) {
    const plain = randomLayout(random);
    const tensor = createTensor(number % 3 === 0 ? swizzledLayout(random, plain) : plain);
    const painter = painterOf(tensor);
    const layout = JSON.stringify(plain);
    /** @type {CellText[]} */
    const kinds = ['auto', 'letter', 'linear', 'coords', 'address'];
    const texts = kinds.map((kind) => createCellText(tensor, kind, null));
    /** @type {Map<number, string>} */
    const said = new Map();
    for (const coords of coordinatesOf(tensor.shape)) {
      const address = tensor.addressOf(coords);
      const shown = [painter.cell(coords).fill, ...texts.map((textOf) => textOf(coords))].join(' ');
      shared += Number(said.has(address));
      assert.equal(said.get(address) ?? shown, shown, `${coords} of ${layout}`);
      said.set(address, shown);
      const owner = tensor.ownerOf(address).coords ?? [];
      assert.equal([painter.cell(owner).fill, ...texts.map((textOf) => textOf(owner))].join(' '), shown);
    }
    const letters = new Set([...said.keys()].map((address) => texts[2](tensor.ownerOf(address).coords ?? [])));
    assert.equal(letters.size, said.size, 'every address has a number of its own');
  }
  assert.ok(shared > 1000, `${shared} cells that share`);
});

test('a broadcast is written as the source writes it, and overlapping windows as what they read', () => {
  /** @param {number[]} strides @param {CellText} text */
  const rows = (strides, text) => {
    const tensor = createTensor(describe([2, 3], strides.map((stride, dim) => [{ extent: dim + 2, stride }]), 0));
    const textOf = createCellText(tensor, text, null);
    return [0, 1].map((row) => [0, 1, 2].map((column) => textOf([row, column])).join(' ')).join(' / ');
  };
  assert.equal(rows([0, 1], 'auto'), 'A B C / A B C');
  assert.equal(rows([1, 0], 'auto'), 'A A A / B B B');
  assert.equal(rows([1, 1], 'auto'), 'A B C / B C D');
  assert.equal(rows([0, 0], 'auto'), 'A A A / A A A');
  assert.equal(rows([3, 1], 'auto'), 'A B C / D E F');
  assert.equal(rows([0, 1], 'linear'), '0 1 2 / 0 1 2');
  assert.equal(rows([1, 1], 'linear'), '0 1 2 / 1 2 3');
  assert.equal(rows([0, 1], 'coords'), '*,0 *,1 *,2 / *,0 *,1 *,2');
  assert.equal(rows([1, 1], 'coords'), '0,0 0,1 0,2 / 0,1 0,2 1,2');
  assert.equal(rows([1, 1], 'address'), '0 1 2 / 1 2 3');
});

test('a value that several elements share is that of the first', () => {
  const tensor = createTensor(describe([2, 2], [[{ extent: 2, stride: 0 }], [{ extent: 2, stride: 1 }]], 0));
  const textOf = createCellText(tensor, 'value', { data: Float32Array.of(5, 6, 7, 8), role: 'data' });
  assert.deepEqual([[0, 0], [0, 1], [1, 0], [1, 1]].map((coords) => textOf(coords)), ['5', '6', '5', '6']);
});
