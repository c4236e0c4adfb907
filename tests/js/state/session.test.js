import assert from 'node:assert/strict';
import test from 'node:test';
import { parseState } from '../../../static/state/permalink.js';
import { Session } from '../../../static/state/session.js';
import { REST_MS } from '../../../static/state/typing.js';

/** @typedef {import('../../../static/core/types.js').Theme} Theme */
/** @typedef {import('node:test').TestContext} TestContext */

const DESCRIPTION = {
  shape: [2, 3], dims: 'HW', dtype: 'float32', offset: 0, swizzle: null, padded_shape: [2, 3],
  digits: [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]],
  buffer: { elements: 6, bytes: 24, per_system: {} }, names: {}, notations: {}, readings: [],
};

const FORMATS = ['NCHW', 'HW', 'WH', 'HWC'].map((name) => ({ system: 'letters', name, dims: '', rank: name.length, summary: '' }));

/** A session, and a server that reads HW, WH and NC, or is away. @param {TestContext} context */
function started(context) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const server = { away: false, asked: 0 };
  context.mock.method(globalThis, 'fetch', async (/** @type {string} */ url) => {
    server.asked += 1;
    if (server.away) throw new TypeError('no connection');
    if (url.endsWith('/formats')) return new Response(JSON.stringify({ systems: [], dtypes: [], formats: FORMATS }));
    const layout = new URLSearchParams(url.split('?')[1]).get('layout');
    const good = ['HW', 'WH', 'NC'].includes(layout ?? '');
    const refusal = { errors: [{ field: 'shape', message: 'expected other sizes' }] };
    return new Response(JSON.stringify(good ? DESCRIPTION : refusal), { status: good ? 200 : 422 });
  });
  const session = new Session(parseState('shape=2,3&layout=HW'), /** @type {Theme} */ ({}), new Map([['float32', 32]]));
  session.ask();
  return { session, server };
}

/** Types into the layout, and says which layout is on screen then. @param {Session} session */
async function typist(session) {
  await session.catalogue();
  await answered();
  return async (/** @type {string} */ layout) => {
    session.type({ side: 'a', name: 'layout' }, layout, 'replace');
    await answered();
    return session.answers.a?.fields.layout;
  };
}

/** Lets every answer come in. */
async function answered() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('an error waits for the pause, stands at the typed field, and makes the answer stale then', async (context) => {
  const { session } = started(context);
  await answered();
  assert.deepEqual(session.stale, { a: false, b: false });
  session.type({ side: 'a', name: 'layout' }, 'QQ', 'push');
  await answered();
  assert.deepEqual([session.problems.a, session.stale.a], [[], false]);
  context.mock.timers.tick(REST_MS);
  assert.equal(session.stale.a, true);
  assert.deepEqual(session.problems.a, [{ field: 'layout', about: 'shape', message: 'expected other sizes', position: null, path: 'shape' }]);
  session.type({ side: 'a', name: 'layout' }, 'WH', 'replace');
  await answered();
  assert.deepEqual([session.problems.a, session.stale.a], [[], false]);
});

test('a beginning leaves the last answer as it is, until the field is left', async (context) => {
  const { session } = started(context);
  await answered();
  session.type({ side: 'a', name: 'layout' }, 'W', 'push');
  await answered();
  context.mock.timers.tick(REST_MS);
  assert.deepEqual([session.halfTyped?.how, session.problems.a, session.stale.a], [{ kind: 'open' }, [], false]);
  session.type({ side: 'a', name: 'layout' }, 'QQ', 'replace');
  await answered();
  context.mock.timers.tick(REST_MS);
  assert.equal(session.stale.a, true);
  session.type({ side: 'a', name: 'layout' }, 'W', 'replace');
  await answered();
  assert.equal(session.stale.a, false);
  session.leave();
  assert.deepEqual([session.problems.a.length, session.stale.a], [1, true]);
});

test('letters that only begin a name are taken when the typing rests, a name at once', async (context) => {
  const { session } = started(context);
  session.edit('a', { elements: '6' });
  const typed = await typist(session);
  assert.equal(session.story, null);
  assert.equal(await typed('HW'), 'HW', 'though HWC begins so');
  assert.equal(await typed('NC'), 'HW');
  context.mock.timers.tick(REST_MS);
  await answered();
  assert.equal(session.answers.a?.fields.layout, 'NC');
});

test('in an example they are taken when the field is left, and the story stays until then', async (context) => {
  const { session } = started(context);
  const typed = await typist(session);
  const { story } = session;
  assert.ok(story);
  assert.equal(await typed('NC'), 'HW');
  context.mock.timers.tick(REST_MS);
  await answered();
  assert.deepEqual([session.answers.a?.fields.layout, session.story?.preset, session.stale.a], ['HW', story.preset, false]);
  assert.deepEqual(session.halfTyped?.how, { kind: 'names', names: ['NCHW'], right: true });
  session.leave();
  await answered();
  assert.deepEqual([session.answers.a?.fields.layout, session.story, session.halfTyped], ['NC', null, null]);
});

test('an address without an element goes with its layout, and the chosen cell stays', async (context) => {
  const { session } = started(context);
  await answered();
  session.select([1, 2]);
  session.go({ side: 'a', coords: null, address: 9 });
  assert.equal(session.pointed?.address, 9);
  session.edit('a', { layout: 'WH' });
  await answered();
  assert.deepEqual([session.pointed, session.selected], [null, [1, 2]]);
});

test('after a tensor of another rank is taken, one of its cells is chosen', async (context) => {
  const { session } = started(context);
  await answered();
  session.change({ selected: Object.freeze([0, 7, 1, 2]) });
  assert.deepEqual(session.state.selected, [1, 2]);
  const before = { ...session.state.a, layout: 'WH' };
  session.change({ selected: null });
  session.take({ before, after: Object.freeze({ ...before, dtype: 'float32' }), words: '' });
  await answered();
  assert.deepEqual(session.state.selected, [0, 1]);
});

test('while a shape is typed the chosen cell waits for the pause', async (context) => {
  const { session } = started(context);
  await answered();
  session.type({ side: 'a', name: 'layout' }, 'WH', 'push');
  session.change({ selected: Object.freeze([5, 5, 5]) });
  await answered();
  assert.deepEqual(session.state.selected, [5, 5, 5]);
  context.mock.timers.tick(REST_MS);
  assert.deepEqual(session.state.selected, [1, 2]);
});

test('a keyboard that gives a field its own text changes nothing, as some do at a tap', async (context) => {
  const { session } = started(context);
  await answered();
  session.change({ rowLength: 4 });
  const before = session.state;
  session.type({ side: 'a', name: 'shape' }, before.a.shape, 'push');
  assert.equal(session.state, before);
});

test('a refused question is not asked again by another change', async (context) => {
  const { session, server } = started(context);
  session.type({ side: 'a', name: 'layout' }, 'QQ', 'push');
  await answered();
  const { asked } = server;
  session.change({ colour: 'linear' });
  context.mock.timers.tick(60_000);
  await answered();
  assert.equal(server.asked, asked);
});

test('a server that is away is asked again, until it answers', async (context) => {
  const { session, server } = started(context);
  await answered();
  server.away = true;
  session.edit('a', { layout: 'WH' }, 'push');
  await answered();
  assert.deepEqual(session.problems.a.map(({ field }) => field), ['other']);
  assert.equal(session.stale.a, true);
  const { asked } = server;
  context.mock.timers.tick(1000);
  await answered();
  assert.equal(server.asked, asked + 1);
  server.away = false;
  session.hurry();
  await answered();
  assert.equal(server.asked, asked + 2);
  assert.deepEqual([session.problems.a, session.stale.a], [[], false]);
  context.mock.timers.tick(100_000);
  await answered();
  assert.equal(server.asked, asked + 2);
});

test('an answer to another question does not end the asking', async (context) => {
  const { session, server } = started(context);
  await answered();
  server.away = true;
  session.edit('a', { layout: 'WH' }, 'push');
  await answered();
  server.away = false;
  session.edit('b', { layout: 'HW' }, 'push');
  await answered();
  assert.deepEqual(session.problems.a.map(({ field }) => field), ['other']);
  context.mock.timers.tick(1000);
  await answered();
  assert.deepEqual([session.problems.a, session.stale.a], [[], false]);
});

test('a late answer makes the old one stale', async (context) => {
  const { session } = started(context);
  await answered();
  context.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  session.edit('a', { layout: 'WH' }, 'push');
  assert.equal(session.stale.a, false);
  context.mock.timers.tick(400);
  assert.equal(session.stale.a, true);
});

test('a field that is left before its answer is there does not turn red by the answer before', async (context) => {
  const { session } = started(context);
  await answered();
  session.type({ side: 'a', name: 'layout' }, 'QQ', 'push');
  await answered();
  session.type({ side: 'a', name: 'layout' }, 'WH', 'replace');
  session.leave();
  assert.deepEqual(session.problems.a, []);
  await answered();
  assert.deepEqual(session.problems.a, []);
  session.type({ side: 'a', name: 'layout' }, 'QQ', 'replace');
  session.leave();
  assert.deepEqual(session.problems.a, []);
  await answered();
  assert.equal(session.problems.a.length, 1);
});

for (const [dtype, typed] of [['uint8', 'float32'], ['int16', 'int16']]) {
  test(`with a shape of one's own the sample picture goes, and ${dtype} is ${typed} then`, async (context) => {
    const { session } = started(context);
    session.restore(parseState(`shape=1,3,96,128&layout=HW&dtype=${dtype}&sample=balloon`), 'none');
    session.load({ values: { data: new Uint8Array(1), role: 'picture' }, shape: [1, 3, 96, 128], label: '' });
    session.edit('a', { layout: 'WH' });
    session.type({ side: 'a', name: 'shape' }, '2,3', 'push');
    await answered();
    assert.equal(session.state.sample, 'balloon', 'it may be typed on');
    context.mock.timers.tick(REST_MS);
    await answered();
    assert.deepEqual([session.state.sample, session.state.a.dtype, session.state.a.shape], ['', typed, '2,3']);
  });
}

test('a link to a picture and another shape is meant as it is', async (context) => {
  const { session } = started(context);
  session.restore(parseState('shape=2,3&layout=HW&dtype=uint8&sample=balloon'), 'none');
  await answered();
  assert.equal(session.state.a.dtype, 'uint8');
});

test('what one text is compared with does not stay beside the tensor of the next', (context) => {
  const { session } = started(context);
  const [a, written] = [session.state.a, Object.freeze({ ...session.state.a, layout: 'WH' })];
  const reorder = { before: a, after: Object.freeze({ ...a, shape: '3,2' }), words: '', b: { before: null, after: written } };
  const next = (/** @type {Partial<typeof a>} */ fields) => ({ before: session.state.a, after: Object.freeze({ ...session.state.a, ...fields }), words: '' });
  const beside = () => session.state.b?.layout ?? null;
  session.take(reorder);
  session.take(next({ dtype: 'int8' }));
  assert.equal(beside(), 'WH', 'a type is no other tensor');
  session.take(next({ shape: '64,48' }));
  assert.equal(beside(), null);
  session.untake();
  assert.equal(beside(), 'WH');
  session.take(next({ shape: '64,48' }));
  assert.equal(beside(), null, 'nor after it was undone');
  session.edit('b', { layout: 'HW' });
  session.take(next({ shape: '5,7' }));
  assert.equal(beside(), 'HW', 'what was typed stays');
});

test('B keeps the type that a text gave it, until another type is chosen', (context) => {
  const { session } = started(context);
  session.restore(parseState('shape=2,3&layout=HW&b-layout=WH&b-dtype=int8'), 'none');
  session.edit('a', { shape: '3,2' });
  session.edit('b', { layout: 'HW' });
  assert.deepEqual([session.state.b?.shape, session.state.b?.dtype, session.state.a.dtype], ['3,2', 'int8', 'float32']);
  session.edit('a', { dtype: 'float16' });
  assert.equal(session.state.b?.dtype, 'float16');
});

test('of two layouts the one whose letters only count takes the other\u2019s names, also in a view', async (context) => {
  const asked = 'shape=2,3&steps=permute(1,0)&layout=';
  const dims = new Map([['ab', 'ab'], ['HW', 'HW'], ['ba', 'ab']]);
  context.mock.method(globalThis, 'fetch', async (/** @type {string} */ url, /** @type {RequestInit} */ { body }) => {
    const layout = body ? JSON.parse(String(body)).tensor.layout : new URLSearchParams(url.split('?')[1]).get('layout');
    const own = { ...DESCRIPTION, dims: dims.get(layout) };
    const turned = { ...own, shape: [3, 2], dims: [...own.dims ?? ''].reverse().join(''), digits: [...own.digits].reverse() };
    return new Response(JSON.stringify(body ? { tensor: turned, results: [turned], breaks: null } : own), { status: 200 });
  });
  for (const [a, b, both, view] of [['ab', 'HW', 'HW', 'WH'], ['HW', 'ab', 'HW', 'WH'], ['ab', 'ba', 'ab', 'ba']]) {
    const session = new Session(parseState(`${asked}${a}&b-layout=${b}`), /** @type {Theme} */ ({}), new Map([['float32', 32]]));
    session.ask();
    await answered();
    for (const answer of Object.values(session.answers)) {
      assert.deepEqual([answer?.memory.description.dims, answer?.memory.tensor?.dims.join('')], [both, both]);
      assert.deepEqual([answer?.description.dims, answer?.tensor?.dims.join(''), answer?.chain?.results[0].dims], [view, view, view]);
    }
    if (a !== 'ab' || b === 'ba') continue;
    session.edit('b', { layout: '' });
    await answered();
    assert.equal(session.answers.a?.tensor?.dims.join(''), 'ba');
  }
});
