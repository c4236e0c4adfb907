import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { listPages } from '../../../../static/elements/shared/command/common.js';
import { explorerCommands } from '../../../../static/elements/shared/command/explorer.js';
import { mayBeRead, search } from '../../../../static/words/command/search.js';
import { FIRST, PRESET_GROUPS, stateOf } from '../../../../static/state/presets.js';
import { Session } from '../../../../static/state/session.js';
import { describe } from '../../random-layouts.js';

const TENSOR = createTensor({ ...describe([2, 3], [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]], 0), dims: 'HW' });
const CATALOGUE = {
  systems: ['letters'],
  formats: [
    { system: 'letters', name: 'CHW', dims: 'CHW', rank: 3, summary: 'Planes.' },
    { system: 'letters', name: 'HW', dims: 'HW', rank: 2, summary: 'Rows.' },
    { system: 'other', name: 'HW', dims: 'HW', rank: 2, summary: 'Rows again.' },
  ],
};
const THEME = /** @type {import('../../../../static/core/types.js').Theme} */ (/** @type {unknown} */ ({}));

// Here is no page, and so no button that names itself as a command.
Object.assign(globalThis, { document: { querySelectorAll: () => [] } });
listPages(['Reorders', 'Networks', 'API'].map((title) => ({ page: title, title, about: '', href: `/${title}` })), [{ title: 'stride', forms: 'stride, strides', text: 'A distance.' }]);

/** A session with one answer, that asks nobody. */
function answered() {
  const session = new Session(stateOf(FIRST), THEME, new Map());
  session.ask = () => {};
  const memory = { tensor: TENSOR, description: { shape: [2, 3], dims: 'HW' } };
  session.answers.a = /** @type {never} */ ({ tensor: TENSOR, memory, description: memory.description, itemsize_bits: 32 });
  return session;
}

/** @param {string} text */
const titles = (text) => search(text, explorerCommands(answered()), CATALOGUE).found.map(({ title }) => title);

test('every example, page and view can be found by its name', () => {
  for (const { presets } of PRESET_GROUPS) {
    for (const { title } of presets) assert.ok(titles(title).includes(title), title);
  }
  for (const name of ['Reorders', 'Networks', 'API', 'Cost', 'Walk through memory', 'Colour by bank', 'Text: address']) {
    assert.equal(titles(name)[0], name);
  }
});

test('an example is found by its layout', () => assert.ok(titles('NCHW4').includes('Six channels in blocks of four')));

test('a layout is listed once, those of the tensor before the others', () => {
  const found = titles('hw').filter((title) => title === 'HW' || title === 'CHW');
  assert.deepEqual(found, ['HW', 'CHW']);
});

test('a layout of weights says how it takes the sizes of what is none', () => {
  const formats = [{ system: 'letters', name: 'IO', dims: 'OI', rank: 2, summary: 'Weights.' }, { system: 'letters', name: 'OIW', dims: 'OIW', rank: 3, summary: 'Weights.' }, CATALOGUE.formats[1]];
  const said = (/** @type {string} */ name) => search(name, explorerCommands(answered()), { ...CATALOGUE, formats }).found.find(({ title }) => title === name)?.about;
  assert.deepEqual(['IO', 'OIW', 'HW'].map(said), ['Takes 2 × 3 as OI. letters: Weights.', 'letters: Weights.', 'letters: Rows.']);
});

test('a layout of another rank is taken with as many sizes as it has dimensions, which fill its blocks', async () => {
  const { fetch } = globalThis;
  globalThis.fetch = async (url) => Response.json({ shape: [1, 2, 3], padded_shape: String(url).includes('1%2C2%2C3') ? [4, 2, 3] : null });
  for (const [shape, name, taken] of [['(2, 3)', 'CHW', '4,2,3'], ['4,2,3', 'HW', '2,3'], ['2x3', 'HW', '2x3']]) {
    const session = answered();
    session.edit('a', { shape });
    await search(name, explorerCommands(session), CATALOGUE).found.find(({ title }) => title === name)?.run?.();
    assert.deepEqual([session.state.a.layout, session.state.a.shape], [name, taken]);
  }
  globalThis.fetch = fetch;
});

test('a coordinate or an address comes first, and what leads nowhere says why', () => {
  const session = answered();
  const { found } = search('1,2', explorerCommands(session), CATALOGUE);
  assert.equal(found[0].title, 'Go to address 5');
  assert.equal(found[0].about, 'h 1, w 2');
  found[0].run?.();
  assert.deepEqual(session.selected, [1, 2]);
  assert.equal(titles('4')[0], 'Go to address 4');
  assert.match(search('1,2,3', explorerCommands(session), CATALOGUE).problem, /2 indices/);
  assert.match(search('99', explorerCommands(session), CATALOGUE).problem, /6 addresses/);
  assert.match(search('h=9', explorerCommands(session), CATALOGUE).problem, /from 0 to 1/);
});

test('a word that nothing has is no broken address, and one of the field leads to its blocks', () => {
  const session = answered();
  for (const word of ['im2col', 'ldmatrix']) {
    const { found, problem } = search(word, explorerCommands(session), CATALOGUE);
    assert.deepEqual([found, problem], [[], ''], word);
  }
  assert.equal(search('vnni', explorerCommands(session), CATALOGUE).found[0].title, 'A dimension that is split twice');
});

test('what is chosen changes the state as its control does', async () => {
  const session = answered();
  /** @param {string} text */
  const run = (text) => search(text, explorerCommands(session), CATALOGUE).found[0].run?.();
  run('Colour by bank');
  assert.equal(session.state.colour, '@bank');
  run('Notations');
  assert.equal(session.state.tab, 'notations');
  await run('HW');
  assert.equal(session.state.a.layout, 'HW');
  assert.equal(session.mark, 'push');
  const second = PRESET_GROUPS[1].presets[0];
  run(second.title);
  assert.deepEqual(session.state.a.shape, stateOf(second).a.shape);
  assert.equal(session.state.tab, 'notations', 'the tab stays');
});

test('of words that nothing has together, what has the others is found, once', () => {
  const found = titles('colour by bank zzz');
  assert.equal(found[0], 'Colour by bank');
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(titles('zzz'), []);
});

test('small words of a question do not count', () => {
  assert.equal(titles('what is a stride')[0], 'stride');
  assert.equal(titles('What is a stride?')[0], 'stride');
  assert.equal(titles('is the')[0], titles('is the?')[0], 'unless there are no others');
});

test('while nothing is typed, some of everything is offered', () => {
  const kinds = new Set(search(' ', explorerCommands(answered()), CATALOGUE).found.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['example', 'help', 'layout', 'page', 'view']);
});

test('words of the field that no tensor has are explained', () => {
  const { words, help } = JSON.parse(readFileSync(new URL('../../../../app/web/words/words.json', import.meta.url), 'utf8'));
  const explained = Object.values(words).flat().map(({ forms, text }) => ({ title: forms.split(',')[0], forms, text }));
  listPages([], [...explained, ...help.map((/** @type {{title: string, text: string}} */ each) => ({ ...each, forms: '' }))]);
  const expected = { 'onednn verbose': /Paste all of them/, 'blocked layout': /NCHW4/, amx: /int8/, brgemm: /kernel/, 'channels last': /channels innermost/, im2col: /window/, winograd: /opaque/, wino: /opaque/ };
  for (const [word, said] of Object.entries(expected)) {
    const [first] = search(word, explorerCommands(answered()), CATALOGUE).found;
    assert.match(first?.say ?? '', said, word);
  }
});

test('letters apart are found only where nothing has the word itself', () => {
  const commands = { nothing: '', entries: () => ['ResNet-50', 'Rows are nested'].map((title) => ({ kind: /** @type {const} */ ('example'), title, about: '' })) };
  const found = (/** @type {string} */ text) => search(text, commands, null).found.map(({ title }) => title);
  assert.deepEqual(found('resnet'), ['ResNet-50']);
  assert.deepEqual(found('rnested'), ['Rows are nested']);
});

test('an instruction leads to the tags that are made for it, an option to the page of networks', () => {
  assert.ok(titles('vnni').includes('ABcd16b64a2b'));
  class HTMLOptionElement {
    /** @param {string} value @param {string} label */
    constructor(value, label) {
      Object.assign(this, { value, label, dataset: {} });
    }
  }
  const { document } = globalThis;
  const lists = { '#networks option': [new HTMLOptionElement('resnet-50', 'ResNet-50')], '#rule-options option': [new HTMLOptionElement('onednn;kernels:brgemm', 'onednn, kernels: brgemm')] };
  Object.assign(globalThis, { HTMLOptionElement, document: { querySelectorAll: (/** @type {keyof typeof lists} */ list) => lists[list] ?? [] } });
  const { found } = search('brgemm', explorerCommands(answered()), CATALOGUE);
  Object.assign(globalThis, { document });
  assert.equal(found.find(({ kind }) => kind === 'rules')?.href, '/network?preset=inception-block&rules=onednn&option=kernels:brgemm');
});

test('a notation comes first by its own letters, then those that begin so, whatever their rank', () => {
  const formats = ['ABcd16b', 'ABcd16b64a2b', 'aBcd16b', 'abcd'].map((name) => ({ ...CATALOGUE.formats[1], name, rank: 4 }));
  const catalogue = { ...CATALOGUE, formats: [...formats, { ...formats[0], name: 'aBcd16b4c', rank: 2 }] };
  const found = (/** @type {string} */ text) => search(text, explorerCommands(answered()), catalogue).found.map(({ title }) => title);
  assert.deepEqual(found('aBcd16b').slice(0, 2), ['aBcd16b', 'aBcd16b4c']);
  assert.equal(found('ABcd16b')[0], 'ABcd16b');
});

test('what no title is may be a layout: the server is asked for it', () => {
  const named = [{ kind: /** @type {const} */ ('layout'), title: 'ABcd16b64a2b', about: '', at: [0] }];
  assert.ok(mayBeRead('aBcd16b', named));
  assert.ok(mayBeRead('NCHW -> NHWC', named));
  assert.ok(mayBeRead('NCHW', []));
  for (const text of ['ABcd16b64a2b ', 'NCHW', '118', 'h, w']) assert.ok(!mayBeRead(text, named), text);
});

test('two layouts with an arrow can be compared, and opened as a reorder', async () => {
  const session = answered();
  const tensor = { role: null, source: null, line: 1, times: 1, shape: null, dtype: null, dims: null, itemsizes: null, problem: null, system: null, copied: null, in_elements: null, least_offset: null, strides: null };
  const tensors = [{ ...tensor, layout: 'NCHW', target: 1 }, { ...tensor, layout: 'NHWC', target: null }];
  const { fetch } = globalThis;
  /** @type {string[]} */
  const asked = [];
  globalThis.fetch = async (url, init) => {
    asked.push(`${url} ${init?.body}`);
    return Response.json({ shape: null, dtype: null, layout: 'NCHW', system: null, tensors, left_out: 0, steps: [], unread: [], least_offset: null, strides: null });
  };
  const found = await explorerCommands(session).reading?.('NCHW -> NHWC', new AbortController().signal);
  globalThis.fetch = fetch;
  assert.deepEqual(asked, ['/api/v1/read {"text":"NCHW -> NHWC"}']);
  assert.deepEqual(found?.map(({ title }) => title), ['Compare NCHW with NHWC', 'Reorder NCHW to NHWC']);
  assert.match(found?.[1].href ?? '', /^\/reorder\?.*layout=NCHW.*b-layout=NHWC/);
  found?.[0].run?.();
  assert.deepEqual([session.state.a.layout, session.state.b?.layout], ['NCHW', 'NHWC']);
});
