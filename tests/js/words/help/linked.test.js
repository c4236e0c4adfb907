import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordFinder } from '../../../../static/words/help/linked.js';

const EXPLAINED = /** @type {const} */ ([['cache line, line', 'a'], ['table', 'b'], ['bank, word', 'c'], ['table, row', 'd'], ['⌊c/4⌋', 'e']]);

/** @param {string} text */
const found = (text) => wordFinder(EXPLAINED, ['word for'])(text).map(({ index, form, id }) => [index, form, id]);

test('the longest form is found, whole, however it is written', () => {
  assert.deepEqual(found('A Cache line, lines and on-line'), [[2, 'Cache line', 'a']]);
  assert.deepEqual(found('by ⌊c/4⌋.'), [[3, '⌊c/4⌋', 'e']]);
  assert.deepEqual(found('a cache\u00a0line'), [[2, 'cache\u00a0line', 'a']], 'no line ends in it');
});

test('what two words explain links to neither', () => assert.deepEqual(found('row of a table'), [[0, 'row', 'd']]));

test('nothing links inside a plain phrase', () => {
  assert.deepEqual(found('PyTorch’s word for a word'), [[21, 'word', 'c']]);
});
