import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanced, scrubberAt, stepAt, typedStep } from '../../../../static/core/player/clock.js';

const HUGE = 10n ** 18n;

test('a player at rest enters the next step, and rests at the last', () => {
  const play = { steps: 4n, speed: 2, passed_ms: 250 };
  const first = advanced({ step: 0n, part: 1 }, play);
  assert.deepEqual(first, { step: 1n, part: 0.5, ended: false });
  assert.deepEqual(advanced(first, play), { step: 1n, part: 1, ended: false });
  assert.deepEqual(advanced({ step: 3n, part: 0.25 }, { ...play, passed_ms: 375 }), { step: 3n, part: 1, ended: true });
  assert.deepEqual(advanced(first, { ...play, passed_ms: 60_000 }), { step: 3n, part: 1, ended: true });
});

test('a frame passes many steps, and all steps take twenty seconds however many they are', () => {
  assert.equal(advanced({ step: 10n, part: 1 }, { steps: HUGE, speed: 1000, passed_ms: 100 }).step, 110n);
  const half = advanced({ step: 0n, part: 1 }, { steps: HUGE, speed: 'all', passed_ms: 10_000 });
  assert.equal(half.step, HUGE / 2n);
  assert.equal(half.ended, false);
  assert.equal(advanced({ step: 0n, part: 1 }, { steps: 3n, speed: 'all', passed_ms: 1000 }).step, 1n);
});

test('a scrubber is exact to 2^53 steps; beyond that it still has both ends', () => {
  for (const steps of [1n, 2n, 1000n, 1n << 53n]) {
    for (const step of [0n, steps / 3n, steps - 1n]) assert.equal(stepAt(scrubberAt(step, steps), steps), step);
  }
  const steps = (1n << 62n) + 12345n;
  assert.equal(stepAt(scrubberAt(steps - 1n, steps), steps), steps - 1n);
  assert.equal(stepAt(scrubberAt(0n, steps), steps), 0n);
  assert.ok(scrubberAt(steps - 1n, steps) <= Number.MAX_SAFE_INTEGER);
});

test('a typed step is read with separators and held within the steps', () => {
  for (const [text, expected] of /** @type {const} */ ([
    [' 1,000 000 ', 1_000_000n],
    ['12_5', 125n],
    ['-4', 0n],
    ['9999999999999999999', HUGE - 1n],
    ['', null],
    ['1.5', null],
    ['0x10', null],
    ['abc', null],
  ])) {
    assert.equal(typedStep(text, HUGE), expected, text);
  }
});
