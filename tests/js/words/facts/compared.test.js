import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedRows, comparedText, propertyRows } from '../../../../static/words/facts/compared.js';

/**
 * @param {number} bytes
 * @param {boolean} packed
 * @returns {any}
 */
const described = (bytes, packed) => ({
  shape: [1, 6, 4, 5], dims: 'NCHW', strides: [bytes / 4, 20, 5, 1], digits: [], buffer: { elements: bytes / 4, bytes },
  physical_shape: null, properties: { packed }, not_applicable: [],
});

for (const [a, b, bits, said] of /** @type {[number, number, number, string][]} */ ([
  [640, 480, 32, 'B wastes 0 bytes instead of 160, takes 480 bytes instead of 640 and spans 8 cache lines instead of 10.'],
  [480, 480, 32, 'A and B take 480 bytes in 8 cache lines each.'],
  [480, 484, 32, 'B wastes 4 bytes instead of 0 and takes 484 bytes instead of 480.'],
  [480, 24, 32, 'B takes 24 bytes instead of 480 and spans 1 cache line instead of 8.'],
])) {
  test(`${b} bytes beside ${a}`, () => assert.equal(comparedText(described(a, true), described(b, true), bits), said));
}

test('the rows of both say the same of what is the same', () => {
  const rows = comparedRows(described(640, false), described(480, true));
  const differing = rows.filter(({ differs }) => differs).map(({ name }) => name);
  assert.deepEqual(differing, ['stride of n', 'buffer', 'bytes', 'packed']);
});

test('what PyTorch reads from strides is not said of blocks, which have none', () => {
  const facts = { packed: true, padded: null, dense: false, contiguous: true };
  const named = (/** @type {string[]} */ not_applicable) =>
    propertyRows({ ...described(480, true), properties: facts, not_applicable }).map(({ name, word }) => `${name}: ${word}`);
  const own = ['packed: yes', 'padding or gaps: unknown'];
  assert.deepEqual(named([]), [...own, 'dense (PyTorch): no', 'contiguous: yes']);
  assert.deepEqual(named(['dense', 'contiguous']), [...own, 'dense (PyTorch): n/a', 'contiguous: n/a']);
});

test('n/a and unknown are no difference from yes or no', () => {
  const facts = { packed: true, padded: null, contiguous: true };
  const [a, b] = [[96, 16, 4, 1], null].map((strides) => ({
    ...described(480, true), strides, properties: { ...facts, padded: strides && true }, not_applicable: strides ? [] : ['contiguous'],
  }));
  const one = { ...a, digits: [[], [], [], []] };
  const other = { ...b, digits: [96, 16, 4, 1].map((stride) => [{ extent: 2, stride }]) };
  const said = comparedRows(one, other).slice(-3).map((row) => [row.name, row.a, row.b, row.differs]);
  assert.deepEqual(said, [
    ['packed', 'yes', 'yes', false], ['padding or gaps', 'yes', 'unknown', false], ['contiguous', 'yes', 'n/a', false],
  ]);
  const apart = { ...one, properties: { ...facts, padded: false } };
  assert.deepEqual(comparedRows(one, apart).filter(({ differs }) => differs).map(({ name }) => name), ['padding or gaps']);
});
