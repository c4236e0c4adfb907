import assert from 'node:assert/strict';
import test from 'node:test';
import { formatState, parseState } from '../../../static/state/permalink.js';
import { FIRST, PRESETS, presetOf, stateOf } from '../../../static/state/presets.js';

test('an address keeps every example, and finds it again', () => {
  for (const preset of PRESETS) {
    const state = stateOf(preset);
    const back = parseState(formatState(state));
    assert.deepEqual(back, state, preset.title);
    assert.equal(presetOf(back), preset);
  }
});

test('every example says one thing and has a title of its own', () => {
  assert.equal(new Set(PRESETS.map(({ title }) => title)).size, PRESETS.length);
  for (const { see } of PRESETS) assert.match(see, /^.{20,170}[.…]$/s);
  assert.equal(presetOf(stateOf(FIRST)), FIRST);
});

test('what a trial shows is said without what was there before: a link may open it', () => {
  for (const { title, trial } of PRESETS) assert.doesNotMatch(trial?.see ?? '', /\b(now|again|becomes?|become|still|grows|has moved)\b/i, title);
});

test('an edited example is no example', () => {
  const state = stateOf(FIRST);
  assert.equal(presetOf({ ...state, a: { ...state.a, layout: 'NHWC' } }), null);
});

test('hostile addresses give a bounded, frozen state', () => {
  for (const search of ['', '?', '?shape=%ff%00&layout=', `?layout=${'9'.repeat(10_000)}`, `?elements=${'1'.repeat(10_000)}`, '?row=-1&at=x&lv=NaN,1,1&b-layout=']) {
    const state = parseState(search);
    assert.ok(Object.isFrozen(state) && Object.isFrozen(state.a));
    for (const text of Object.values(state.a)) assert.ok(text.length <= 4096);
  }
});
