import assert from 'node:assert/strict';
import test from 'node:test';
import { mayCarryMore, oneLine, takenFrom } from '../../../static/state/pasted.js';

const BEFORE = Object.freeze({ shape: '3,4', layout: '6,1', dtype: 'float32', dims: 'MN', steps: 'flip(0)', slice: '0', elements: '24' });
const NOTHING = { shape: null, dtype: null, layout: null, system: null };

for (const text of ['NCHW', 'NCHW4', '5,1+2', '(3072, 1, 96, 3)', 'weights NCHW44', '']) {
  test(`${JSON.stringify(text)} says a layout at most`, () => assert.equal(mayCarryMore(text), false));
}

for (const text of ['torch.Size([2, 3])', "{'shape': (2, 3)}", 'f32[2,3]{1,0}', 'memref<2x3xf32>', 'a::b', 'x=1']) {
  test(`${JSON.stringify(text)} may say more than a layout`, () => assert.equal(mayCarryMore(text), true));
}

test('sizes, type and layout are taken; what belonged to the tensor before goes', () => {
  const taken = takenFrom(BEFORE, { shape: [2, 3], dtype: 'int8', layout: '(3, 1)', system: null });
  assert.deepEqual(taken?.after, { shape: '2,3', layout: '(3, 1)', dtype: 'int8', dims: '', steps: '', slice: '', elements: '' });
  assert.equal(taken?.before, BEFORE);
  assert.equal(taken?.words, 'shape 2,3; int8; (3, 1)');
});

test('a type alone changes nothing else', () => {
  const taken = takenFrom(BEFORE, { ...NOTHING, dtype: 'int8' });
  assert.deepEqual(taken?.after, { ...BEFORE, dtype: 'int8' });
});

test('sizes without a layout keep it where the rank stays, else they lie in row-major order', () => {
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [5, 7] })?.after.layout, '6,1');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [2, 3, 4, 5] })?.after.layout, 'NCHW');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [] })?.after.layout, '()');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [] })?.after.shape, '()');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [2, 1, 2, 2, 0, 3] })?.after.layout, '12,12,6,3,3,1');
});

test('strides as an object become text, exact at any length', () => {
  const layout = { strides: ['9007199254740993', 1], offset: 5 };
  assert.equal(takenFrom(BEFORE, { ...NOTHING, shape: [2, 3], layout })?.after.layout, '(9007199254740993, 1) + 5');
});

test('what says neither sizes nor a type is no paste', () => {
  assert.equal(takenFrom(BEFORE, { ...NOTHING, layout: 'NCHW', system: 'letters' }), null);
});

test('several lines become one of the same length', () => {
  assert.equal(oneLine('a\r\nb\tc'), 'a  b c');
});
