import assert from 'node:assert/strict';
import test from 'node:test';
import { nameRowMajor } from '../../../static/api/dense-layout.js';
import { parseState } from '../../../static/state/permalink.js';
import { choicesOf, firstLines, isShown, mayCarryMore, oneLine, received, stepsTaken, takenFrom, takenOf } from '../../../static/state/pasted.js';

nameRowMajor(['()', 'W', 'HW', 'CHW', 'NCHW', 'NCDHW']);

const BEFORE = Object.freeze({ shape: '3,4', layout: '6,1', dtype: 'float32', dims: 'MN', steps: 'flip(0)', slice: '0', elements: '24' });
const NOTHING = { shape: null, dtype: null, layout: null, strides: null };

for (const text of ['NCHW', 'NCHW4', '5,1+2', '(3072, 1, 96, 3)', 'weights NCHW44', '']) {
  test(`${JSON.stringify(text)} says a layout at most`, () => assert.equal(mayCarryMore(text), false));
}

for (const text of ['torch.Size([2, 3])', "{'shape': (2, 3)}", 'f32[2,3]{1,0}', 'memref<2x3xf32>', 'a::b', 'x=1', 'aBcd8b of 8x16x5x5']) {
  test(`${JSON.stringify(text)} may say more than a layout`, () => assert.equal(mayCarryMore(text), true));
}

test('sizes, type and layout are taken; what belonged to the tensor before goes', () => {
  const taken = takenFrom(BEFORE, { shape: [2, 3], dtype: 'int8', layout: '(3, 1)', strides: [3, 1] });
  assert.deepEqual(taken?.after, { shape: '2,3', layout: '(3, 1)', dtype: 'int8', dims: '', steps: '', slice: '', elements: '' });
  assert.equal(taken?.before, BEFORE);
  assert.equal(taken?.words, 'shape 2,3; int8; (3, 1)');
});

test('the type of the sample picture stays with it, one that was chosen with the text', () => {
  const read = { ...NOTHING, shape: [2, 3], tensors: [], left_out: 0 };
  const typed = ['uint8', 'int16'].map((dtype) => {
    const state = parseState(`shape=1,3,96,128&layout=NHWC&dtype=${dtype}&sample=balloon&slice=0`);
    return received(state, /** @type {any} */ (read)).taken?.after.dtype;
  });
  assert.deepEqual(typed, ['float32', 'int16']);
});

test('an offset that the text does not name is said', () => {
  const read = { shape: [2, 3], dtype: null, layout: '(3, -1)+2', strides: [3, -1], least_offset: 2 };
  const words = 'shape 2,3; (3, -1)+2; offset +2, the least that these strides need, as the text names none';
  assert.equal(takenFrom(BEFORE, read)?.words, words);
});

for (const [step, before, after] of /** @type {[import('../../../static/api/types.js').ReadAnswer['steps'][number], string, string][]} */ ([
  [{ op: 'index', index: ':, ::2' }, '', '[:, ::2]'],
  [{ op: 'contiguous' }, '', 'contiguous()'],
  [{ op: 'mT' }, 'flip(0)', 'flip(0).mT'],
  [{ op: 'flatten', start_dim: 1 }, 'flip(0)', 'flip(0).flatten(1)'],
  [{ op: 'permute', dims: [0, 2, 3, 1] }, '', 'permute(0,2,3,1)'],
])) {
  test(`the step ${step.op} follows those of ${JSON.stringify(before)}`, () => {
    assert.deepEqual(stepsTaken({ ...BEFORE, steps: before }, [step]).after, { ...BEFORE, steps: after });
  });
}

test('a tensor without a type does not take that of an example, and keeps one that was chosen', () => {
  const pasted = { ...NONE, shape: [2, 3, 4, 5] };
  const typeOf = (/** @type {string} */ link) => takenOf(parseState(link), [pasted], 0)?.after.dtype;
  assert.equal(typeOf('shape=2,64,3,3&layout=NCHW4&dtype=int8'), 'float32');
  assert.equal(typeOf('shape=2,64,3,4&layout=NCHW4&dtype=int8'), 'int8');
  assert.equal(takenOf(parseState('shape=2,64,3,3&layout=NCHW4&dtype=int8'), [{ ...pasted, dtype: 'int4' }], 0)?.after.dtype, 'int4');
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

for (const strides of [[3072, 1, 96, 3], [7], []]) {
  test(`the strides ${strides} without sizes are taken beside two sizes, and sizes are to be typed`, () => {
    const read = { ...NOTHING, layout: `(${strides})`, strides };
    const after = { ...BEFORE, layout: read.layout };
    assert.deepEqual(takenFrom(BEFORE, read), { before: BEFORE, after, words: read.layout, unsized: true });
    const state = { ...parseState(''), a: BEFORE };
    const taken = takenOf(state, [{ ...NONE, ...read }], 0);
    assert.deepEqual([taken?.unsized, taken?.words], [true, `${read.layout}; the text does not say the sizes`]);
  });
}

test('strides without sizes are taken beside as many sizes, which are said', () => {
  const four = { ...BEFORE, shape: '10,3,32,32' };
  const vectors = { ...NONE, layout: 'tensorrt:(1024,1024:4,32,1)', strides: [1024, 1024, 32, 1] };
  const { words } = takenOf({ ...parseState(''), a: four }, [vectors], 0) ?? {};
  assert.match(words ?? '', /; the text does not say the sizes: 10,3,32,32 stays$/);
  assert.equal(takenFrom(four, { ...NOTHING, layout: '(3072, 1, 96, 3)', strides: [3072, 1, 96, 3] })?.unsized, undefined);
  assert.equal(takenFrom(four, { ...NOTHING, dtype: 'int8', layout: '(3072, 1, 96, 3)', strides: [3072, 1, 96, 3] })?.after.layout, '(3072, 1, 96, 3)');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, dtype: 'int8', layout: '(8, 1)', strides: [8, 1] })?.after.layout, '(8, 1)');
  assert.equal(takenFrom(BEFORE, { ...NOTHING, dtype: 'int8', layout: 'NCHW' })?.after.layout, 'NCHW');
});

test('what says neither sizes nor a type is no paste, and is taken as a layout alone', () => {
  const read = { ...answer([]), layout: 'NCHW' };
  assert.deepEqual(received(parseState(''), read), { pasted: null, taken: null });
  const taken = takenFrom(BEFORE, read);
  assert.deepEqual(taken?.after, { ...BEFORE, layout: 'NCHW' });
  assert.equal(taken.words, 'NCHW', 'the type stays, and is not said to be in the text');
  assert.equal(takenFrom(BEFORE, NOTHING), null);
});

test('several lines become one of the same length', () => {
  assert.equal(oneLine('a\r\nb\tc'), 'a  b c');
});

const NONE = {
  role: null, source: null, line: 1, times: 1, shape: null, dtype: null, layout: null, dims: null, itemsizes: null, strides: null,
  target: null, problem: null, in_elements: null,
};
const REORDER = [
  { ...NONE, role: 'src', source: 'reorder', shape: [2, 16, 7, 7], dtype: 'float32', layout: 'onednn:abcd', target: 1 },
  { ...NONE, role: 'dst', source: 'reorder', shape: [2, 16, 7, 7], dtype: 'int8', layout: 'onednn:aBcd16b' },
  { ...NONE, role: 'bia', source: 'matmul', line: 2, shape: [16], dtype: 'float32', layout: 'onednn:a' },
];
const BYTES = { ...NONE, role: 'x', shape: [3, 4], layout: 'numpy:(8, 24)', itemsizes: [8, 4, 2, 1] };

/** @param {readonly import('../../../static/api/types.js').FoundTensor[]} tensors */
function answer(tensors) {
  const { shape, dtype, layout, strides } = tensors.find(({ problem }) => problem === null) ?? NONE;
  return { shape, dtype, layout, strides, system: null, tensors, left_out: 0, steps: [] };
}

test('a reorder fills A and B, and its list is kept', () => {
  const state = parseState('shape=3,4&layout=HW');
  const { pasted, taken } = received(state, answer(REORDER));
  assert.equal(taken?.after.layout, 'onednn:abcd');
  assert.equal(taken?.b?.after?.layout, 'onednn:aBcd16b');
  assert.equal(taken?.b?.before, null);
  assert.match(taken?.words ?? '', /onednn:aBcd16b, as int8/);
  assert.equal(pasted?.opened, taken);
  assert.equal(pasted?.tensors.length, 3);
});

test('instead of a reorder each of its tensors may be taken alone, and every other tensor', () => {
  const state = parseState('shape=3,4&layout=HW');
  const { pasted } = received(state, answer([...REORDER, { ...BYTES, problem: 'got nothing' }, BYTES]));
  assert.ok(pasted);
  const choices = choicesOf(state, pasted);
  assert.deepEqual(choices.map(({ tensors: [{ role }] }) => role), ['src', 'dst', 'bia', 'x']);
  assert.deepEqual(choices.map(({ taken }) => taken?.after.layout), ['onednn:abcd', 'onednn:aBcd16b', 'onednn:a', undefined]);
  assert.ok(choices.every(({ taken }) => !taken?.b?.after), 'none of them is compared');
  assert.deepEqual(choices.map((choice) => choice.pasted.asking), [null, null, null, 4]);
  const second = received(state, answer([REORDER[2], { ...REORDER[0], target: 2 }, REORDER[1]]));
  assert.ok(second.pasted);
  const [both, alone] = choicesOf(state, second.pasted);
  assert.equal(both.taken?.b?.after?.layout, 'onednn:aBcd16b');
  assert.equal(alone.taken?.b, undefined);
  const many = received(state, answer(Array.from({ length: 20 }, () => REORDER[2])));
  assert.ok(many.pasted);
  assert.equal(choicesOf(state, many.pasted).length, 8);
});

test('of a view its base is taken, with the steps', () => {
  /** @type {import('../../../static/api/types.js').ReadAnswer['steps']} */
  const steps = [{ op: 'permute', dims: [2, 0, 1] }, { op: 'index', index: '::2' }];
  const base = { shape: [3, 4, 5], layout: '(20, 5, 1)', steps };
  const views = [{ ...NONE, role: 'x', shape: [3, 4, 5], layout: '(20, 5, 1)' }, { ...NONE, role: 'y', shape: [3, 3, 4], layout: '(2, 20, 5)', base }];
  const { after, words } = takenOf(parseState('dtype=int8'), views, 1) ?? {};
  assert.deepEqual([after?.shape, after?.layout, after?.steps], ['3,4,5', '(20, 5, 1)', 'permute(2,0,1)[::2]']);
  assert.equal(words, 'shape 3,4,5; (20, 5, 1); steps permute(2,0,1)[::2], which lead to shape 3,3,4 with strides (2, 20, 5)');
  const state = { ...parseState(''), a: /** @type {NonNullable<typeof after>} */ (after) };
  assert.deepEqual([isShown(state, views, 0), isShown(state, views, 1)], [false, true]);
});

test('another tensor of the text takes B away where it came from the text or does not fit', () => {
  const filled = parseState('shape=2,16,7,7&layout=onednn:abcd&b-layout=onednn:aBcd16b');
  assert.equal(isShown(filled, REORDER, 0), true);
  assert.equal(isShown(filled, REORDER, 1), false);
  assert.equal(takenOf(filled, REORDER, 2)?.b?.after, null);
  assert.equal(takenOf(filled, REORDER, 1)?.b?.after, null);
  const other = parseState('shape=5,5,5,5&layout=NCHW&b-layout=NHWC');
  assert.equal(takenOf(other, REORDER, 1)?.b, undefined, 'what was typed stays where it fits');
});

test('strides in bytes ask for the size of an element', () => {
  const state = parseState('shape=3,4&layout=HW');
  const { pasted, taken } = received(state, answer([BYTES]));
  assert.equal(taken, null);
  assert.equal(pasted?.asking, 0);
  assert.equal(takenOf(state, [BYTES], 0, 8)?.after.dtype, 'float64');
  assert.equal(received(state, answer([{ ...BYTES, itemsizes: [1] }])).taken?.after.dtype, 'uint8');
});

test('what cannot be read is passed over', () => {
  const bad = { ...REORDER[2], problem: 'got a format that was left open' };
  const { taken } = received(parseState(''), answer([bad, REORDER[2]]));
  assert.equal(taken?.after.shape, '16');
  assert.equal(takenOf(parseState(''), [bad], 0), null);
});

test('a long text is cut at the end of a line', () => {
  const text = 'x'.repeat(999).concat('\n').repeat(300);
  const { text: sent, linesLeft } = firstLines(text);
  assert.equal(sent.split('\n').length + linesLeft, 300);
  assert.ok(sent.length <= 2 ** 18 && linesLeft > 0);
  assert.deepEqual(firstLines('a\nb'), { text: 'a\nb', linesLeft: 0 });
});

test('of two layouts to compare the second is B, and neither is said to be written', () => {
  const one = { ...NOTHING, shape: [2, 3], role: null, source: null, line: 1, times: 1, dims: null, itemsizes: null, target: null, problem: null, system: null, copied: null, in_elements: null, least_offset: null };
  const taken = takenOf({ ...parseState(''), a: BEFORE }, [{ ...one, layout: 'ab', target: 1 }, { ...one, layout: 'ba' }], 0);
  assert.equal(taken?.b?.after?.layout, 'ba');
  assert.equal(taken?.words, 'shape 2,3; ab; compared with ba');
});
