import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { endOf, LEARNT } from '../../../../static/words/learn/learnt.js';

test('each lesson has a sentence of what it taught', () => {
  const golden = JSON.parse(readFileSync(new URL('../../../golden/linked_words.json', import.meta.url), 'utf8'));
  assert.deepEqual(Object.keys(LEARNT).sort(), Object.keys(golden.learn).sort());
});

test('a lesson is done when none of its questions is open', () => {
  assert.deepEqual(endOf('transpose', []), ['✓ Lesson done. ', 'A view moves nothing: each dimension takes its stride along.']);
  assert.deepEqual(endOf('transpose', [1, 2]), ['Still open in this lesson: ', 'question 1 and 2.']);
});
