import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPages } from '../../../../static/elements/shared/command/common.js';
import { learnCommands } from '../../../../static/elements/shared/command/learn.js';
import { ELSEWHERE, layoutLinks, saysMore } from '../../../../static/words/command/elsewhere.js';
import { search } from '../../../../static/words/command/search.js';

const FORMATS = [['nChw16c', 'NCHW'], ['NHWC', 'NCHW'], ['OIhw4i16o4i', 'OIHW'], ['kCHW32', 'NCHW']];
const CATALOGUE = { systems: ['onednn'], formats: FORMATS.map(([name, dims]) => ({ system: 'onednn', name, dims, rank: 4, summary: 'A layout.' })) };

// Here is no page, and so no list of lessons or networks.
Object.assign(globalThis, { document: { querySelectorAll: () => [] } });
listPages([], [{ title: 'VNNI', forms: 'vnni, OIhw4i16o4i, nhwc', text: 'A dot product.' }]);

test('a page without a layout of its own lists the named ones, as links to the explorer', () => {
  const session = /** @type {never} */ ({ list: [{ id: 'nhwc', title: 'NHWC: channels innermost', chapter: 'Orders' }] });
  const commands = learnCommands(session);
  for (const [text, name] of [['OIhw4i16o4i', 'OIhw4i16o4i'], ['kCHW32', 'kCHW32'], ['nChw16c', 'nChw16c'], ['nhwc', 'NHWC']]) {
    const [first] = search(text, commands, CATALOGUE).found;
    assert.equal(first.kind, 'layout', text);
    const query = new URL(first.href ?? '', 'http://page').searchParams;
    assert.equal(query.get('layout'), name);
    assert.equal(query.get('shape'), name.startsWith('O') ? '64,64,4,4' : '2,64,4,4');
  }
  assert.deepEqual(layoutLinks(null), []);
});

test('sizes beside a layout open the tensor in the explorer', async () => {
  const { fetch } = globalThis;
  const { signal } = new AbortController();
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = async (_url, init) => {
    asked.push(String(init?.body));
    return Response.json({ shape: [16, 16, 3, 3], dtype: null, layout: 'OIhw4i16o4i', strides: null, system: 'onednn', tensors: [], left_out: 0, steps: [] });
  };
  const found = await ELSEWHERE.reading('16,16,3,3 OIhw4i16o4i', signal);
  const none = await ELSEWHERE.reading('resnet-50', signal);
  globalThis.fetch = async () => Response.json({ type: 'about:blank', title: 'no', status: 422, errors: [] }, { status: 422 });
  const refused = await ELSEWHERE.reading('3x3 window', signal);
  globalThis.fetch = fetch;
  assert.deepEqual(asked, ['{"text":"16,16,3,3 OIhw4i16o4i"}']);
  assert.deepEqual(found, [{ kind: 'layout', title: 'OIhw4i16o4i of 16,16,3,3', about: 'Opens in the explorer.', href: '/?shape=16%2C16%2C3%2C3&layout=OIhw4i16o4i' }]);
  assert.deepEqual([none, refused], [[], []]);
});

test('sizes beside a word are told from a coordinate and from words', () => {
  for (const text of ['16,16,3,3 OIhw4i16o4i', '2x3 NHWC', '(2, 3) ab', 'nChw16c 2x16x7x7', 'x.stride() = (50176, 1, 896, 16), shape (2, 16, 56, 56)', 'strides {25088L, 1L}']) assert.ok(saysMore(text), text);
  for (const text of ['0,1,2,3', 'b: 118', 'OIhw4i16o4i', 'Sw<3,4,3> o 0 o 8:1', 'resnet 50', '[1][5][0][2]', '(0, 1, 2)']) assert.ok(!saysMore(text), text);
});
