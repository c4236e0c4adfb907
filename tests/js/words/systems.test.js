import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saidOnce } from '../../../static/words/systems.js';

test('what is true of several systems is said once for all of them', () => {
  const said = /** @type {const} */ ([['a', 'C is split.'], ['b', 'W is odd.'], ['c', 'C is split.']]);
  assert.deepEqual(saidOnce(said), [
    { said: 'C is split.', systems: ['a', 'c'] },
    { said: 'W is odd.', systems: ['b'] },
  ]);
});
