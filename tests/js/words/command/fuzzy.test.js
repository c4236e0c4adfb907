import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzyMatch, marked } from '../../../../static/words/command/fuzzy.js';

/** @param {string} query @param {readonly string[]} titles */
const ranked = (query, titles) =>
  titles
    .flatMap((title) => {
      const match = fuzzyMatch(query, title);
      return match ? [{ title, score: match.score }] : [];
    })
    .sort((one, other) => one.score - other.score)
    .map(({ title }) => title);

test('the beginning comes before a later word, that before the inside of one, and scattered letters come last', () => {
  assert.deepEqual(ranked('nhwc', ['N x H W, C', 'TensorNHWC', 'Picture as NHWC', 'NHWC4', 'NHWC', 'NCHW']), [
    'NHWC', 'NHWC4', 'Picture as NHWC', 'TensorNHWC', 'N x H W, C',
  ]);
});

test('each word must be found, in any order and in any case', () => {
  assert.ok(fuzzyMatch('CACHE colour', 'Colour by cache line'));
  assert.equal(fuzzyMatch('cache green', 'Colour by cache line'), null);
  assert.ok(fuzzyMatch('onednn inner', 'nChw4c', 'oneDNN: channels innermost'));
  assert.equal(fuzzyMatch('xyz', 'NCHW', 'letters'), null);
  assert.deepEqual(fuzzyMatch('   ', 'anything'), { score: 0, at: [] });
});

test('words that stand together in the title count as one', () => {
  assert.deepEqual(ranked('is an address', ['An address is a sum of steps', 'What is an address?']), ['What is an address?', 'An address is a sum of steps']);
});

test('the places that match are given in order, for one character as for several', () => {
  assert.deepEqual(fuzzyMatch('line by', 'Colour by cache line')?.at, [7, 8, 16, 17, 18, 19]);
  assert.deepEqual(fuzzyMatch('ncw', 'NxCxW')?.at, [0, 2, 4]);
  assert.deepEqual(fuzzyMatch('ab', 'a--- axb')?.at, [5, 7], 'the narrowest place');
});

test('letters that lie far apart are not a match', () => {
  assert.equal(fuzzyMatch('az', 'a long title that ends in z'), null);
});

test('signs of a regular expression are only signs', () => {
  assert.ok(fuzzyMatch('(1,2', 'Strides (1,2)'));
  assert.equal(fuzzyMatch('.*', 'NCHW'), null);
});

test('a term of an address finds its kind in every spelling, with any letter and number', () => {
  const texts = ['block number, ⌊c/4⌋', 'place in the block, c mod 4', '(d0, d1 floordiv 16)', '(d0, d1 mod 16)', 'NCHW'];
  const [block, place] = texts;
  for (const query of ['c/4', 'c//4', 'c // 4', '⌊c/4⌋', 'floor(c/4)', 'C floordiv 4', '(c/4)']) {
    assert.deepEqual(ranked(query, texts), [block, texts[2]], query);
  }
  for (const query of ['c%4', 'c % 4', 'c mod 4', '(c mod 4)', 'C%4']) assert.deepEqual(ranked(query, texts), [place, texts[3]], query);
  assert.deepEqual(ranked('d1//16', texts), [texts[2], block]);
  assert.deepEqual(ranked('h % 3', texts), [place, texts[3]]);
});

test('a title is marked where it matches', () => {
  const parts = [{ text: 'N', match: true }, { text: 'C', match: false }, { text: 'HW', match: true }];
  assert.deepEqual(marked('NCHW', [0, 2, 3]), parts);
  assert.deepEqual(marked('NCHW', []), [{ text: 'NCHW', match: false }]);
});
