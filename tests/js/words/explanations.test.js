import assert from 'node:assert/strict';
import test from 'node:test';
import { explanations } from '../../../static/words/explanations.js';

/** @typedef {import('../../../static/api/types.js').Description} Description */
/** @typedef {import('../../../static/api/types.js').FormatName} FormatName */

/**
 * Names of one system that all fit for one cause.
 * @param {string[]} all
 * @param {FormatName['cause']} cause
 * @param {string[]} [ones]
 * @returns {FormatName[]}
 */
function rivals(all, cause, ones = []) {
  return all.map((name) => ({ name, reason: 'Not read.', cause, ones, rivals: all.filter((other) => other !== name) }));
}

/** @param {string} name @returns {FormatName} */
const alone = (name) => ({ name, reason: null, cause: null, ones: [], rivals: [] });

/**
 * @param {Partial<Description>} parts
 * @returns {Description}
 */
function described(parts) {
  return /** @type {Description} */ ({ dims: 'NCHW', shape: [2, 1, 4, 5], strides: [20, 20, 5, 1], names: {}, system: 'strides', ...parts });
}

test('one cause is said once, whatever number of names and systems give it', () => {
  const names = {
    letters: rivals(['NCHW', 'NHWC'], 'size_one', ['C']),
    pytorch: rivals(['contiguous_format', 'channels_last'], 'size_one', ['C']),
    xla: rivals(['one', 'two', 'three'], 'size_one', ['C']),
  };
  assert.deepEqual(explanations(described({ names })), [
    'C has size 1 and its stride does not count: contiguous_format and channels_last are the same memory here, and so are NCHW and NHWC.',
  ]);
});

test('several dimensions of size 1, and sizes that agree by chance, are causes of their own', () => {
  const names = {
    letters: rivals(['HWC', 'WHC', 'CHW'], 'same_memory'),
    pytorch: rivals(['contiguous_format', 'channels_last'], 'size_one', ['H', 'W']),
  };
  assert.deepEqual(explanations(described({ names })), [
    'H, W have size 1 and their strides do not count: contiguous_format and channels_last are the same memory here.',
    'With these sizes: HWC, WHC and CHW are the same memory here.',
  ]);
});

test('a name alone with its cause stands beside its rivals', () => {
  const [nhwc, hwcn, nchw8] = rivals(['NHWC', 'HWCN', 'NCHW8'], 'same_memory');
  const names = { letters: [nhwc, { ...hwcn, cause: /** @type {const} */ ('size_one'), ones: ['N'] }, nchw8] };
  assert.deepEqual(explanations(described({ names })), [
    'With these sizes: NHWC and NCHW8 are the same memory here.',
    'N has size 1 and its stride does not count: HWCN, NHWC and NCHW8 are the same memory here.',
  ]);
});

test('names that fit alone need no sentence', () => {
  assert.deepEqual(explanations(described({ names: { letters: [alone('NCHW')] } })), []);
});

const PERMUTED = described({
  shape: [10, 3, 16, 16],
  strides: [768, 1, 48, 3],
  names: { pytorch: [alone('channels_last')] },
});

for (const system of ['strides', 'numpy', null]) {
  test(`channels_last of ${system ?? 'a view'} says that none need have asked, with the reader\u2019s numbers`, () => {
    const [sentence, ...others] = explanations({ ...PERMUTED, system });
    assert.equal(others.length, 0);
    assert.match(sentence, /calls this channels_last whether or not anyone asked for it/);
    assert.match(sentence, /C 1 < W 3 < H 48 < N 768/);
    assert.match(sentence, /\(10, 16, 16, 3\) permuted by \(0, 3, 1, 2\)/);
  });
}

for (const system of ['pytorch', 'letters', 'onednn']) {
  test(`a format of ${system} asks for it`, () => assert.deepEqual(explanations({ ...PERMUTED, system }), []));
}

test('what is contiguous as well is explained by its sizes alone', () => {
  const names = { pytorch: ['contiguous_format', 'channels_last'].map(alone) };
  assert.deepEqual(explanations(described({ names })), []);
});
