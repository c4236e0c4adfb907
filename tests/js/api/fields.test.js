import assert from 'node:assert/strict';
import test from 'node:test';
import { describeCurl, describeQuery, fieldOf, shapeQuery, tensorJson } from '../../../static/api/fields.js';

const BLANK = { shape: '2,3', layout: 'HW', dtype: '', dims: '', steps: '', slice: '', elements: '' };

for (const [typed, sent] of [
  ['2,64,3,3', '2,64,3,3'],
  ['2x64x3x3', '2,64,3,3'],
  ['2 × 64 × 3 × 3', '2,64,3,3'],
  ['(2, 64, 3, 3)', '2,64,3,3'],
  ['[2,64,3,3]', '2,64,3,3'],
  ['2 64 3 3', '2,64,3,3'],
  ['torch.Size([2, 64, 3, 3])', '2,64,3,3'],
  ['torch.Size([])', ''],
  ['(5,)', '5'],
  ['()', ''],
  ['2,-3', '2,-3'],
  ['2,x,3', '2,x,3'],
  ['2.5,3', '2.5,3'],
  ['  7  ', '7'],
]) {
  test(`shape ${JSON.stringify(typed)} is sent as ${JSON.stringify(sent)}`, () => {
    assert.equal(shapeQuery(typed), sent);
  });
}

test('the query leaves out what was not typed', () => {
  assert.equal(describeQuery(BLANK).toString(), 'shape=2%2C3&layout=HW');
  const full = { ...BLANK, layout: '5,1+2', dtype: 'int8', dims: 'MN', elements: '20' };
  assert.deepEqual(Object.fromEntries(describeQuery(full)), {
    shape: '2,3', layout: '5,1+2', dtype: 'int8', dims: 'MN', elements: '20',
  });
});

test('the layout is sent as typed, so that positions count in the field', () => {
  for (const layout of [' NC?W ', '5,1 + 2', 'tvm: NCHW4c', '']) {
    assert.equal(describeQuery({ ...BLANK, layout }).get('layout'), layout);
    assert.equal(JSON.parse(tensorJson({ ...BLANK, layout })).layout, layout);
  }
});

test('the body keeps integers of any length exact', () => {
  const body = tensorJson({ ...BLANK, shape: '9007199254740993,1', elements: '9223372036854775807' });
  assert.equal(body, '{"shape": [9007199254740993, 1], "layout": "HW", "elements": 9223372036854775807}');
});

test('the body is JSON whatever was typed', () => {
  for (const text of ['"', '\\', '0x10', '1e9', '\u2028', '007', 'a"},{"']) {
    const body = tensorJson({ shape: text, layout: text, dtype: text, dims: text, steps: '', slice: text, elements: text });
    assert.equal(typeof JSON.parse(body), 'object', body);
  }
});

test('the call can be pasted into a shell: no quote survives unescaped', () => {
  const call = describeCurl('http://host', { ...BLANK, layout: "a'b$(c)`d" });
  assert.match(call, /^curl 'http:\/\/host\/api\/v1\/describe\?[^']*'$/);
});

for (const [path, field] of [
  ['shape', 'shape'], ['shape[2]', 'shape'], ['shape.2', 'shape'], ['tensor.layout.strides', 'layout'], ['text', 'layout'],
  ['dtype', 'dtype'], ['tensor.dims', 'dims'], ['elements', 'elements'],
  ['window.sizes', 'slice'], ['index', 'slice'], ['', 'other'], ['nonsense', 'other'],
]) {
  test(`the API's ${JSON.stringify(path)} stands beside ${field}`, () => {
    assert.equal(fieldOf(path), field);
  });
}
