import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatState, parseState } from '../../../../static/state/permalink.js';
import { formatLink, parseLink, reorderHref } from '../../../../static/state/reorder/link.js';
import { presetShown, REORDER_PRESETS, stateOfPreset } from '../../../../static/state/reorder/presets.js';

test('fields and step are read back', () => {
  for (const preset of REORDER_PRESETS) {
    const state = stateOfPreset(preset, parseState(''));
    const link = parseLink(`?${formatLink(state, preset.step)}`);
    assert.deepEqual(link?.state, state);
    assert.equal(link?.step, preset.step);
    assert.equal(presetShown(state), preset);
  }
});

test('a link without a step is of the first one', () => {
  const link = parseLink('?shape=2,3&layout=HW&b-layout=WH');
  assert.equal(link?.step, 0);
  assert.equal(formatLink(/** @type {any} */ (link).state, 0), 'shape=2,3&layout=HW&b-layout=WH');
  assert.match(formatLink(/** @type {any} */ (link).state, 7), /&step=7$/);
});

test('a query without a tensor is none; a step that is no number is the first', () => {
  assert.equal(parseLink('?step=4'), null);
  for (const [step, expected] of [['-1', 0], ['1e3', 0], ['12', 12], ['99999999999999999', 0]]) {
    assert.equal(parseLink(`?shape=2,3&layout=HW&b-layout=WH&step=${step}`)?.step, expected);
  }
});

test('a comparison of the explorer becomes a reorder, without what is its own but the chosen cell, which is there again', () => {
  const state = parseState('shape=2,3&layout=HW&b-layout=WH&dtype=int8&slice=0&steps=t()&at=1,2&row=4&mv=10,0,0');
  const href = reorderHref(state);
  assert.equal(href, '/reorder?shape=2,3&layout=HW&dtype=int8&b-layout=WH&at=1,2');
  assert.equal(formatState(parseState(href.split('?')[1])), 'shape=2,3&layout=HW&dtype=int8&b-layout=WH&at=1,2');
  assert.equal(stateOfPreset(REORDER_PRESETS[0], state).selected, null);
});
