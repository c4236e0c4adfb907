import assert from 'node:assert/strict';
import test from 'node:test';
import { placed, stillShown } from '../../../static/state/answers.js';
import { Retry } from '../../../static/state/retry.js';
import { REST_MS, Typing } from '../../../static/state/typing.js';

/** @typedef {import('../../../static/api/types.js').FieldProblem} FieldProblem */

/** @param {FieldProblem['field']} field */
const problem = (field) => ({ field, message: 'wrong', position: 1 });
const NOTHING = { a: [], b: [], slice: [], steps: [] };

test('typing rests after a pause, and at once when the field is left', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let rests = 0;
  const typing = new Typing(() => (rests += 1));
  typing.key({ side: 'a', name: 'layout' }, true);
  context.mock.timers.tick(REST_MS - 1);
  typing.key({ side: 'a', name: 'layout' }, false);
  context.mock.timers.tick(REST_MS - 1);
  assert.deepEqual([typing.resting, rests], [false, 0]);
  context.mock.timers.tick(1);
  assert.deepEqual([typing.resting, typing.left, rests], [true, false, 1]);
  typing.leave();
  typing.leave();
  assert.deepEqual([typing.left, rests], [true, 2]);
  context.mock.timers.tick(10 * REST_MS);
  assert.equal(rests, 2);
});

test('a field is blamed for what went wrong since all was right', () => {
  const typing = new Typing(() => {});
  typing.key({ side: 'a', name: 'layout' }, true);
  typing.key({ side: 'a', name: 'layout' }, false);
  assert.equal(typing.blamed, true);
  typing.key({ side: 'a', name: 'shape' }, false);
  assert.equal(typing.blamed, false);
  typing.key({ side: 'a', name: 'shape' }, true);
  assert.equal(typing.blamed, true);
  typing.end();
  assert.deepEqual([typing.field, typing.blamed, typing.resting], [null, false, true]);
});

test('an error stands at the blamed field and keeps the name of its own', () => {
  const field = /** @type {const} */ ({ side: 'a', name: 'layout' });
  const found = { ...NOTHING, a: [problem('shape'), problem('other')] };
  assert.deepEqual(placed(found, { field, blamed: true }).a, [
    { field: 'layout', about: 'shape', message: 'wrong', position: null },
    { field: 'other', about: 'other', message: 'wrong', position: 1 },
  ]);
  assert.deepEqual(placed(found, { field, blamed: false }).a[0], { ...problem('shape'), about: 'shape' });
  const few = { ...NOTHING, a: [{ ...problem('shape'), sizes: 2 }] };
  assert.equal(placed(few, { field, blamed: false }).a[0].field, 'layout', 'of two that differ the last one');
  assert.equal(placed(few, { field: { side: 'a', name: 'dtype' }, blamed: false }).a[0].field, 'shape');
  assert.deepEqual(placed(found, { field: { side: 'b', name: 'layout' }, blamed: true }).a[0], { ...problem('shape'), about: 'shape' });
});

test('the errors of B stand at B, and hide behind those of A that they repeat', () => {
  const typing = { field: null, blamed: false };
  const { b } = placed({ ...NOTHING, b: [problem('shape')] }, typing);
  assert.deepEqual(b, [{ field: 'layout', about: 'shape', message: 'wrong', position: null }]);
  const both = placed({ ...NOTHING, a: [problem('shape')], b: [problem('shape'), problem('layout')] }, typing);
  assert.deepEqual(both.b.map(({ about }) => about), ['layout']);
});

test('between two keys errors stay at other fields, until they are mended', () => {
  const shown = placed({ ...NOTHING, a: [problem('shape'), problem('layout')] }, { field: null, blamed: false });
  const field = /** @type {const} */ ({ side: 'a', name: 'layout' });
  assert.deepEqual(stillShown(shown, { ...NOTHING, a: [problem('shape')] }, field).a.map((one) => one.field), ['shape']);
  assert.deepEqual(stillShown(shown, NOTHING, field).a, []);
});

test('what had no answer is asked again after 1, 2, 4, 8 seconds, and never more than 30 apart', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const retry = new Retry(() => (asked += 1));
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    retry.failed();
    retry.failed();
    const before = asked;
    context.mock.timers.tick(seconds * 1000 - 1);
    assert.equal(asked, before);
    context.mock.timers.tick(1);
    assert.equal(asked, before + 1);
  }
  retry.failed();
  retry.hurry();
  assert.equal(asked, 8);
  retry.hurry();
  assert.equal(asked, 8, 'nothing is waited for');
  retry.failed();
  retry.answered();
  context.mock.timers.tick(100_000);
  assert.equal(asked, 8);
  retry.failed();
  context.mock.timers.tick(1000);
  assert.equal(asked, 9, 'after an answer it begins anew');
});
