import assert from 'node:assert/strict';
import test from 'node:test';
import { bestWord } from '../../../static/words/cost.js';

/** @param {string} marks b for an order than which none is cheaper */
const word = (marks) => bestWord([...marks].map((mark) => ({ best: mark === 'b' })));

test('one order is the best; several are the least; all together are nothing to mark', () => {
  assert.deepEqual(['b--', 'bb-', 'bbb', 'b'].map(word), ['best ', 'least ', '', '']);
});
