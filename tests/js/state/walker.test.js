import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { TRAIL, Walker } from '../../../static/state/walker.js';

/** @typedef {import('../../../static/core/types.js').DescriptionJson} DescriptionJson */

/** Six channels in blocks of four: address 10 is padding. @type {DescriptionJson} */
const BLOCKED = {
  shape: [6, 2], dims: 'CW', offset: 0, swizzle: null, buffer: { elements: 16 },
  digits: [[{ extent: 2, stride: 8 }, { extent: 4, stride: 1 }], [{ extent: 2, stride: 4 }]],
};
const NEVER = new AbortController().signal;

/** What a walker needs of a session. @param {DescriptionJson} description */
function page(description) {
  /** @type {any} */
  const session = {
    answers: { a: { tensor: createTensor(description) }, b: null },
    state: { walk: null, selected: null },
    pointed: null,
    told: [],
    /** @type {Record<string, (() => void)[]>} */
    heard: {},
    get selected() {
      return session.state.selected;
    },
    change: (/** @type {object} */ changes) => Object.assign(session.state, changes),
    visit(/** @type {object} */ walk, /** @type {any} */ cell) {
      session.change({ walk, selected: cell.coords });
      session.pointed = cell.coords ? null : cell;
      session.tell('selected');
    },
    on: (/** @type {string | string[]} */ topics, /** @type {() => void} */ listener) => {
      for (const topic of [topics].flat()) (session.heard[topic] ??= []).push(listener);
    },
    tell(/** @type {string} */ topic) {
      session.told.push(topic);
      for (const listener of session.heard[topic] ?? []) listener();
    },
  };
  const walker = new Walker(session);
  walker.follow(NEVER);
  return { session, walker };
}

test('it opens at the chosen cell, and a step selects its element or points at its padding', () => {
  const { session, walker } = page(BLOCKED);
  assert.deepEqual([walker.walk, walker.now, walker.trail], [null, null, []]);
  session.state.selected = [1, 1];
  walker.open();
  assert.deepEqual(session.state.walk, { order: 'memory', step: 5 });
  walker.go(9);
  assert.deepEqual([session.selected, session.pointed], [[5, 0], null]);
  walker.go(10);
  assert.deepEqual([session.selected, session.pointed], [null, { side: 'a', coords: null, address: 10 }]);
  assert.equal(walker.now?.kind, 'padding');
  assert.deepEqual(walker.trail.map(({ address }) => address), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  walker.go(100);
  assert.equal(walker.step, 15);
  walker.go(-100);
  assert.equal(walker.step, 0);
  walker.close();
  assert.deepEqual([session.state.walk, walker.now], [null, null]);
});

test('another order meets the same cell, and an order that does not fit has no walk', () => {
  const { session, walker } = page(BLOCKED);
  session.state.selected = [2, 1];
  walker.choose('logical');
  assert.equal(walker.step, 5);
  walker.choose('WC');
  assert.equal(walker.step, 8);
  assert.deepEqual(session.selected, [2, 1]);
  walker.choose('NHWC');
  assert.deepEqual([walker.walk, walker.now], [null, null]);
  walker.go(3);
  assert.equal(walker.now, null);
});

test('a cell chosen in a grid becomes the step, an address without an element in memory order alone', () => {
  const { session, walker } = page(BLOCKED);
  walker.choose('memory');
  session.change({ selected: [4, 1] });
  session.tell('selected');
  assert.equal(walker.step, 12);
  session.pointed = { side: 'a', coords: null, address: 11 };
  session.tell('selected');
  assert.equal(walker.step, 11);
  session.pointed = null;
  walker.choose('WC');
  const { step } = walker;
  session.pointed = { side: 'a', coords: null, address: 10 };
  session.tell('selected');
  assert.equal(walker.step, step);
});

test('what is chosen when an answer comes stays where the reader has it', () => {
  const { session } = page(BLOCKED);
  Object.assign(session.state, { walk: { order: 'memory', step: 5 }, selected: [1, 1] });
  session.tell('answer');
  assert.deepEqual(session.told, ['answer', 'walk']);
  session.state.selected = null;
  session.tell('answer');
  assert.deepEqual(session.selected, [1, 1]);
  assert.ok(session.told.includes('selected'));
});

test('the trail is of so many steps, and playing is told', () => {
  const wide = { shape: [5000], dims: 'W', digits: [[{ extent: 5000, stride: 1 }]], offset: 0, buffer: { elements: 5000 } };
  const { session, walker } = page(wide);
  walker.open();
  walker.go(4000);
  assert.deepEqual(walker.trail.map(({ step }) => step), Array.from({ length: TRAIL }, (_, at) => 3999 - at));
  session.told.length = 0;
  walker.playing = true;
  walker.playing = false;
  assert.deepEqual(session.told, ['walk', 'walk']);
});
