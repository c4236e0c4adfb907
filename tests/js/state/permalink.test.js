import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_FIELDS, formatState, leftOut, parseState } from '../../../static/state/permalink.js';
import { seeded } from '../random-layouts.js';

/** @typedef {import('../../../static/state/types.js').PageState} PageState */

const TYPED = ['NCHW', ' 2, 64,3 ,3 ', '', '5,1+3', 'a&b=c#d?e%20f', '(2, 3)', 'ﬀ 🙂 \n\t', 'onednn:aBcd16b', '+', '::-1, 0', '<b>'];

/** @param {(below: number) => number} random */
function randomState(random) {
  const typed = () => TYPED[random(TYPED.length)];
  const fields = () => ({ shape: typed(), layout: typed(), dtype: typed(), dims: typed(), steps: typed(), slice: typed(), elements: typed() });
  /** @returns {import('../../../static/state/types.js').View} */
  const view = () =>
    random(5) === 0 ? 'fit' : random(3) === 0 ? null : { cell_css: 2 ** (random(12) - 6), left_cells: random(1e9), top_cells: random(1e12) };
  const a = fields();
  const apart = random(2) === 0;
  /** @type {PageState} */
  const state = {
    a,
    b: random(2) === 0 ? null : { ...a, layout: typed() },
    rowLength: [/** @type {const} */ ('auto'), /** @type {const} */ ('line'), 1 + random(5000)][random(3)],
    apart,
    view: { logical: view(), memory: view(), memoryB: apart ? view() : null },
    selected: random(3) === 0 ? null : Array.from({ length: random(6) }, () => random(1e6)),
    walk: random(2) === 0 ? null : { order: ['memory', 'logical', 'NHWC', 'memory b'][random(4)], step: random(1e9) * 4096 },
    colour: ['auto', 'channel', 'value', 'C'][random(4)],
    text: ['auto', 'linear', 'coords'][random(3)],
    sample: ['', 'balloon'][random(2)],
    show: [/** @type {const} */ (''), /** @type {const} */ ('memories')][random(2)],
    cost: {
      what: /** @type {const} */ (['walk', 'warp'])[random(2)],
      order: ['', 'NHWC'][random(2)],
      line_bytes: [64, 128][random(2)],
      page_bytes: [4096, 2 ** 21][random(2)],
      cache_bytes: [0, 32768][random(2)],
      ways: [8, 4][random(2)],
      along: ['', 'WH'][random(2)],
      vector: [1, 8][random(2)],
      space: /** @type {const} */ (['global', 'shared'])[random(2)],
    },
    tab: /** @type {const} */ (['facts', 'notations', 'code', 'cost'])[random(4)],
    side: /** @type {const} */ (['a', 'b'])[random(2)],
  };
  return state;
}

test('a state comes back as it was, text as typed', () => {
  const random = seeded(77);
  for (let number = 0; number < 1000; number += 1) {
    const state = randomState(random);
    const query = formatState(state);
    assert.deepEqual(parseState(query), state, query);
    assert.deepEqual(parseState(new URLSearchParams(query)), state);
    assert.equal(formatState(parseState(query)), query);
  }
});

test('an empty query is the default, and links say shape and layout all the same', () => {
  const state = parseState('');
  assert.deepEqual(state.a, DEFAULT_FIELDS);
  assert.deepEqual([state.b, state.selected, state.rowLength], [null, null, 'auto']);
  assert.equal(formatState(state), 'shape=1,8,3,4&layout=NCHW4');
  const defaults = { ...DEFAULT_FIELDS, shape: '2,3' };
  assert.equal(parseState('?layout=HW', defaults).a.shape, '2,3');
});

test('B is another layout of the same tensor', () => {
  const { a, b } = parseState('shape=4,5&layout=HW&dtype=int8&elements=40&b-layout=WH&b-shape=9,9');
  assert.deepEqual(b, { ...a, layout: 'WH' });
  assert.deepEqual([b?.shape, b?.elements], ['4,5', '40']);
  assert.equal(parseState('shape=4,5&layout=HW&b-dtype=int8').b, null);
  const typed = 'shape=4,5&layout=HW&b-layout=WH&b-dtype=int8';
  assert.deepEqual([parseState(typed).a.dtype, parseState(typed).b?.dtype], ['float32', 'int8']);
  assert.equal(formatState(parseState(typed)), typed);
});

test('A and B are in step, unless the link says otherwise or has a view of B', () => {
  assert.equal(parseState('b-layout=WH').apart, false);
  assert.equal(parseState('b-layout=WH&apart=1').apart, true);
  assert.equal(parseState('b-layout=WH&apart=0').apart, false);
  assert.equal(parseState('b-layout=WH&mv=8,0,0&bv=4,0,1').apart, true);
  const inStep = { ...parseState('mv=fit&bv=4,0,1'), apart: false };
  assert.equal(formatState(inStep), 'shape=1,8,3,4&layout=NCHW4&mv=fit');
});

test('hostile queries are bounded and never throw', () => {
  const long = 'x'.repeat(1e6);
  const state = parseState(`shape=${long}&colour=${long}&sample=${long}&at=${'1,'.repeat(9999)}1`);
  assert.ok(state.a.shape.length <= 4096 && state.colour.length <= 64 && state.sample.length <= 64);
  assert.equal(state.selected, null);
  for (const query of [
    'at=-1', 'at=1.5', 'at=1,,2', 'at=99999999999999999999', 'at=NaN', 'row=0', 'row=-4', 'row=1e9', 'row=99999999999999999999',
    'mv=1,2', 'mv=0,1,1', 'mv=NaN,1,1', 'mv=1,-1,1', 'mv=1,1,1e300', 'mv=1,2,3,4', 'mv=--,1,1', 'bv=1,-1,1', 'text=loud', '%', '%ff=%f0',
  ]) {
    const { selected, rowLength, view, text } = parseState(query);
    assert.deepEqual([selected, rowLength, view.memory, view.memoryB, text], [null, 'auto', null, null, 'auto'], query);
  }
});

test('the state is frozen through and through', () => {
  const state = parseState('at=1,2&mv=8,0,0&bv=4,0,1&b-layout=WH');
  for (const part of [state, state.a, state.b, state.view, state.view.memory, state.view.memoryB, state.selected]) {
    assert.ok(Object.isFrozen(part));
  }
});

test('a link that leaves out its shape or its layout is told from one with both or none', () => {
  assert.equal(leftOut('?layout=nChw16c'), 'shape');
  assert.equal(leftOut('?shape=2,3,4'), 'layout');
  assert.equal(leftOut('?shape=2,3,4&layout=CHW'), null);
  assert.equal(leftOut('?tab=code'), null);
});
