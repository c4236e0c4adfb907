import assert from 'node:assert/strict';
import test from 'node:test';
import { meantBy, suggestedTyping, suggestions } from '../../../static/words/completion.js';

const CATALOGUE = {
  systems: ['letters', 'megengine', 'onednn', 'tvm'],
  formats: [
    { system: 'letters', name: 'HW', dims: 'HW', rank: 2, summary: 'Row major.' },
    { system: 'letters', name: 'NCHW', dims: 'NCHW', rank: 4, summary: 'Planes.' },
    { system: 'letters', name: 'NCHW4', dims: 'NCHW', rank: 4, summary: 'Blocks.' },
    { system: 'letters', name: 'NCDHW', dims: 'NCDHW', rank: 5, summary: 'Volumes.' },
    { system: 'onednn', name: 'nchw', dims: 'NCHW', rank: 4, summary: 'Plain.' },
    { system: 'megengine', name: 'NCHW4', dims: 'NCHW', rank: 4, summary: 'Blocks too.' },
    { system: 'tvm', name: 'NCHW4c', dims: 'NCHW', rank: 4, summary: 'Split.' },
  ],
};

/** @param {string} text @param {number} rank */
const values = (text, rank) => suggestions(text, rank, CATALOGUE).map(({ value }) => value);

test('what begins as typed comes first, then what begins so in other case, then what contains it', () => {
  assert.deepEqual(values('nchw', 4), ['nchw', 'NCHW', 'NCHW4', 'NCHW4c']);
  assert.deepEqual(values('HW', 4), ['NCHW', 'NCHW4', 'nchw', 'NCHW4c']);
});

test('names of another rank are offered only where the tensor\u2019s has none', () => {
  assert.deepEqual(values('NC', 5), ['NCDHW']);
  assert.ok(!values('NC', 4).includes('NCDHW'));
  assert.deepEqual(values('NCD', 4), ['NCDHW']);
});

test('a name that two systems have stands once, and under its system by itself', () => {
  assert.equal(values('NCHW4', 4).filter((value) => value === 'NCHW4').length, 1);
  assert.deepEqual(values('megengine:', 4), ['megengine:NCHW4']);
  assert.deepEqual(values(' TVM : nchw', 4), ['tvm:NCHW4c']);
});

test('the beginning of a system completes to its prefix', () => {
  assert.deepEqual(values('meg', 4), ['megengine:']);
  assert.deepEqual(values('tv', 4), ['tvm:']);
});

test('an empty field offers everything, the systems last', () => {
  const all = values('', 2);
  assert.equal(all[0], 'HW');
  assert.deepEqual(all.slice(-4), ['letters:', 'megengine:', 'onednn:', 'tvm:']);
});

test('what is typed in full, and what no name has, suggests nothing', () => {
  assert.deepEqual(values('NCDHW', 5), []);
  assert.deepEqual(values('tvm:NCHW4c', 4), []);
  assert.deepEqual(values('5,1', 2), []);
  assert.deepEqual(values('unknown:NCHW', 4), []);
});

test('who types is offered six names, and in a trial the one that it asks for', () => {
  const many = { systems: ['numpy'], formats: [8, 16, 32, 64, 2].map((block) => ({ ...CATALOGUE.formats[2], name: `NCHW${block}` })) };
  const all = { systems: [...CATALOGUE.systems, ...many.systems], formats: [...CATALOGUE.formats, ...many.formats] };
  /** @param {string} text @param {string} [asked] */
  const typing = (text, asked) => suggestedTyping(text, 4, all, asked).map(({ value }) => value);
  assert.deepEqual(typing('N'), ['NCHW', 'NCHW4', 'nchw', 'NCHW4c', 'NCHW8', 'NCHW16']);
  assert.deepEqual(typing('NCHW3'), ['NCHW32'], 'by typing on the others are reached');
  assert.deepEqual(typing('N', 'NCHW32'), ['NCHW32']);
  assert.deepEqual([typing('NH', 'NCHW'), typing('N', '1,2')], [[], typing('N')], 'who is not on the way to it gets the usual names');
});

test('a text in small letters is meant to be the name that it spells, unless it is a name itself', () => {
  /** @param {string} text @param {number} rank */
  const meant = (text, rank) => {
    const shown = suggestions(text, rank, CATALOGUE);
    return shown[meantBy(text, shown)]?.value ?? '';
  };
  assert.equal(meant('hw', 2), 'HW');
  assert.equal(meant(' ncdhw', 5), 'NCDHW');
  assert.deepEqual([meant('nchw', 4), meant('Nchw', 4), meant('NCH', 4), meant('xyz', 4)], ['', '', '', '']);
});
