import assert from 'node:assert/strict';
import test from 'node:test';
import { explanations } from '../../../static/words/explanations.js';

/** @typedef {import('../../../static/api/types.js').Description} Description */

const ONE_C = 'C has size 1 and its stride does not count, so';

/**
 * @param {Partial<Description>} parts
 * @returns {Description}
 */
function described(parts) {
  return /** @type {Description} */ ({ dims: 'NCHW', shape: [2, 1, 4, 5], strides: [20, 20, 5, 1], names: {}, ...parts });
}

test('one cause is said once, whatever number of names and systems give it', () => {
  const names = {
    letters: [
      { name: 'NCHW', reason: `${ONE_C} NHWC fits as well` },
      { name: 'NHWC', reason: `${ONE_C} NCHW fits as well` },
    ],
    pytorch: [
      { name: 'contiguous_format', reason: `${ONE_C} channels_last fits as well` },
      { name: 'channels_last', reason: `${ONE_C} contiguous_format fits as well` },
    ],
    xla: [
      { name: 'one', reason: `${ONE_C} two and three fit as well` },
      { name: 'two', reason: `${ONE_C} one and three fit as well` },
    ],
  };
  assert.deepEqual(explanations(described({ names }), 'NCHW'), [
    'C has size 1 and its stride does not count: contiguous_format and channels_last are the same memory here, and so are NCHW and NHWC.',
  ]);
});

test('names that fit alone need no sentence', () => {
  const names = { letters: [{ name: 'NCHW', reason: null }] };
  assert.deepEqual(explanations(described({ names }), '20,20,5,1'), []);
});

test('a reason in other words is kept as it is', () => {
  const names = { letters: [{ name: 'NCHW', reason: 'Nobody knows why' }] };
  assert.deepEqual(explanations(described({ names }), 'NCHW'), ['Nobody knows why.']);
});

const PERMUTED = described({
  shape: [10, 3, 16, 16],
  strides: [768, 1, 48, 3],
  names: { pytorch: [{ name: 'channels_last', reason: null }] },
});

test('strides that PyTorch calls channels_last unasked say so, with the reader\u2019s numbers', () => {
  const [sentence, ...others] = explanations(PERMUTED, '768,1,48,3');
  assert.equal(others.length, 0);
  assert.match(sentence, /nobody asked/);
  assert.match(sentence, /C 1 < W 3 < H 48 < N 768/);
  assert.match(sentence, /\(10, 16, 16, 3\) permuted by \(0, 3, 1, 2\)/);
});

for (const asked of ['channels_last', 'NHWC', 'onednn:nhwc', ' pytorch : channels_last']) {
  test(`${asked} asks for it`, () => assert.deepEqual(explanations(PERMUTED, asked), []));
}

test('what is contiguous as well is explained by its sizes alone', () => {
  const names = { pytorch: ['contiguous_format', 'channels_last'].map((name) => ({ name, reason: null })) };
  assert.deepEqual(explanations(described({ names }), '20,20,5,1'), []);
});
