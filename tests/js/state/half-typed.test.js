import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { halfTyped, isBeginning } from '../../../static/state/half-typed.js';
import { PRESETS } from '../../../static/state/presets.js';

/** @typedef {import('../../../static/state/typing.js').TypedName} TypedName */
/** @typedef {import('../../../static/api/types.js').FieldProblem} FieldProblem */

const FIELDS = Object.freeze({ shape: '1,6,4,5', layout: 'NCHW', dtype: 'float32', dims: '', steps: '', slice: '', elements: '' });
const FORMATS = /** @type {const} */ ([
  ['letters', 'NCHW', 4], ['letters', 'NHWC', 4], ['letters', 'NCHW4', 4], ['letters', 'CHW', 3], ['letters', 'CHWN', 4], ['tvm', 'NCHW4c', 4],
]).map(([system, name, rank]) => ({ system, name, dims: '', rank, summary: '' }));
const CATALOGUE = { formats: FORMATS, systems: ['onednn', 'tvm'] };

/**
 * @param {TypedName} name
 * @param {string} text
 * @param {Partial<FieldProblem>} [problem]
 * @param {{shape?: string}} [fields]
 */
function kindOf(name, text, problem = {}, fields = {}) {
  const problems = [{ field: name, message: '', position: null, ...problem }];
  const known = { fields: { ...FIELDS, ...fields, [name]: text }, problems, catalogue: CATALOGUE, types: ['float32', 'int8'], rank: 4, buffer: '160' };
  const how = halfTyped(name, known);
  return how?.kind === 'names' ? how.names.join(' ') : how?.kind === 'count' ? `${how.have}/${how.want}` : (how?.kind ?? null);
}

test('an empty field waits, and so does an opening bracket', () => {
  for (const name of /** @type {const} */ (['shape', 'layout', 'dtype', 'dims', 'slice', 'elements'])) {
    for (const text of ['', '  ', '(', '[[']) assert.equal(kindOf(name, text), 'open', name);
  }
});

test('the beginning of a name waits, whatever its case; the tensor’s rank comes first', () => {
  assert.equal(kindOf('layout', 'NC'), 'NCHW NCHW4 NCHW4c');
  assert.equal(kindOf('layout', ' nhw'), 'NHWC');
  assert.equal(kindOf('layout', 'C'), 'CHWN CHW');
  assert.equal(kindOf('layout', 'tv'), 'tvm:');
  assert.equal(kindOf('layout', 'tvm:N'), 'tvm:NCHW4c');
  assert.equal(kindOf('layout', 'NHX', { position: 2 }), null);
});

test('a whole name that does not fit waits for longer ones of the rank alone', () => {
  assert.equal(kindOf('layout', 'CHW', { field: 'shape' }), 'CHWN');
  assert.equal(kindOf('layout', 'NCHW', { field: 'shape' }, { shape: '2,3' }), null);
  assert.equal(kindOf('layout', 'NHWC', { field: 'shape' }, { shape: '2,3' }), null);
});

test('letters alone that are no name wait where names begin so', () => {
  /** @param {string} layout @param {string} shape */
  const begins = (layout, shape, catalogue = CATALOGUE) => isBeginning({ ...FIELDS, shape, layout }, catalogue);
  for (const text of ['NCH', ' nhw', 'CHN']) assert.equal(begins(text, '2,3,4'), text !== 'CHN', text);
  for (const text of ['NC', 'CHW', 'WHC', 'NC4']) assert.equal(begins(text, '2,3,4'), false, text);
  for (const text of ['NCHW', 'NCHW3', 'HWCN', 'NCH', '']) assert.equal(begins(text, '1,6,4,5'), false, text);
  assert.equal(isBeginning({ ...FIELDS, shape: '2,3,4', layout: 'NCH' }, null), false);
});

test('no layout of an example or of the end of its trial waits', () => {
  /** @type {Record<string, [string, string, string][]>} */
  const systems = JSON.parse(readFileSync(new URL('../../../app/engine/notation/formats.json', import.meta.url), 'utf8'));
  const formats = Object.entries(systems).flatMap(([system, rows]) => rows.map(([name, dims]) => ({ system, name, dims, rank: dims.length, summary: '' })));
  for (const { a, b, trial } of PRESETS) {
    for (const layout of [a.layout, b, trial.done.layout, trial.done.b]) {
      if (layout !== undefined) assert.equal(isBeginning({ ...FIELDS, shape: a.shape, layout }, { formats, systems: [] }), false, layout);
    }
  }
});

test('letters, strides and tags wait for what is missing', () => {
  assert.equal(kindOf('layout', 'WHC', { field: 'shape' }), 'open');
  assert.equal(kindOf('layout', 'WHCX', { field: 'shape' }), null);
  assert.equal(kindOf('layout', 'aBcd', { position: 1 }), 'open');
  assert.equal(kindOf('layout', '5,1'), '2/4');
  assert.equal(kindOf('layout', '(5, 1, '), '2/4');
  assert.equal(kindOf('layout', '120,20,5,1 +'), 'open');
  assert.equal(kindOf('layout', '120,20,5,1,1'), null);
  assert.equal(kindOf('layout', 'f32[1,6', { position: 7 }), 'open');
  assert.equal(kindOf('layout', 'f32[1,?', { position: 6 }), null);
});

test('a shape waits for as many sizes as the tensor on screen has', () => {
  for (const [text, kind] of [['1,6,4,', '3/4'], ['1', '1/4'], ['(1, 6', '2/4'], ['1x6x', 'open'], ['2,x', null], ['1,6,4,5,', 'open'], ['1,6,4,5,6', null], ['1,-6', null]]) {
    assert.equal(kindOf('shape', String(text)), kind, String(text));
  }
  assert.equal(kindOf('shape', '1,6,4,5', { sizes: 5 }), '4/5', 'the layout beside it has five');
});

test('types, names of dimensions, the buffer and slices wait', () => {
  assert.equal(kindOf('dtype', 'flo'), 'float32');
  assert.equal(kindOf('dtype', 'float33'), null);
  assert.equal(kindOf('dims', 'NC'), '2/4');
  assert.equal(kindOf('dims', 'NN'), null);
  assert.equal(kindOf('elements', '16'), 'open');
  assert.equal(kindOf('elements', '159'), null);
  assert.equal(kindOf('slice', '0, 1:, -'), 'open');
  assert.equal(kindOf('slice', '9'), null);
});

test('the steps of a view wait for the rest of a name and for the bracket', () => {
  assert.equal(kindOf('steps', 'permute(0,1).resh', { position: 13 }), 'reshape(');
  assert.equal(kindOf('steps', 's', { position: 0 }), 'select( squeeze( submemory(');
  assert.equal(kindOf('steps', 'permute(0,', { position: 10 }), 'open');
  assert.equal(kindOf('steps', 'rotate(1)', { position: 0 }), null);
});
