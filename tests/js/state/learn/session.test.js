import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { defaultTheme } from '../../../../static/core/palette.js';
import { LearnSession } from '../../../../static/state/learn/session.js';

/** @import { Checked, QuestionKind } from '../../../../static/api/learn.js' */

const HINTS = ['The last letter of CHW is w: its neighbours touch.', 'One step along h skips all of w, and w has size 4.'];
const STEP = 'One step along c skips all of h, w.';
/** What the server says to the next answer. @type {Partial<Checked>} */
let said = {};

beforeEach(() => {
  globalThis.fetch = async () => Response.json({ expected: [12, 4, 1], misconception: null, landing: null, tensors: [], marks: { right: [], given: [] }, ...said });
});

/**
 * A session whose question is there.
 * @param {QuestionKind} kind
 */
function asked(kind) {
  const session = new LearnSession({ id: 'strides', level: 1, seed: 3, order: [] }, {}, defaultTheme(false));
  const question = { kind, prompt: '', choices: [], dims: 'CHW', unit: null, line: null, at: null, memory: null };
  session.lesson = { id: 'strides', chapter: '', title: '', minutes: 3, seed: 3, level: 1, text: '', tensors: [], shows: [], question, hints: HINTS };
  return session;
}

test('strides that no model gives are led by the first wrong field, and each field is marked', async () => {
  const session = asked('strides');
  said = { right: false, landing: STEP };
  await session.answer([2, 4, 1]);
  assert.deepEqual([session.cause, session.hints, session.fields], [STEP, 0, [false, true, true]]);
});

test('strides that a model gives are told it, with a hint', async () => {
  const session = asked('strides');
  said = { right: false, misconception: { code: 'size_for_stride', text: 'These are the sizes.', computed: [2, 3, 4], believed: null } };
  await session.answer([2, 3, 4]);
  assert.deepEqual([session.cause, session.hints, session.fields], ['These are the sizes.', 1, [false, false, false]]);
});

test('a wrong answer that no model gives is told where it leads', async () => {
  const session = asked('number');
  said = { right: false, expected: 26, landing: 'Address 27 holds h 3, w 1.' };
  await session.answer(27);
  assert.deepEqual([session.cause, session.hints], ['Address 27 holds h 3, w 1.', 1]);
});

test('a check takes back what the one before was told, also where nothing can be checked', async () => {
  const session = asked('number');
  said = { right: false, expected: 26 };
  await session.answer(27);
  assert.deepEqual([session.cause, session.hints, session.problem], ['', 1, '']);
  session.refuse('Type a whole number.');
  assert.deepEqual([session.cause, session.hints, session.problem], [null, 1, 'Type a whole number.']);
  said = { right: true, expected: 26 };
  await session.answer(26);
  assert.deepEqual([session.cause, session.problem, session.checked?.right], [null, '', true]);
});
