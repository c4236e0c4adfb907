import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksText, unnamedText, wholeText } from '../../../../static/words/facts/strides.js';

test('the strides of a dimension in blocks are said from the outermost block to the inside', () => {
  const digits = [{ extent: 2, stride: 80 }, { extent: 4, stride: 1 }];
  assert.deepEqual(blocksText('c', digits), ['c: 80 to the next block of 4, 1 inside a block']);
  assert.deepEqual(blocksText('c', [{ extent: 1, stride: 49152 }, { extent: 4, stride: 1 }]), [], 'there is no next block');
});

test('with three digits each block says how many indices it has', () => {
  const digits = [{ extent: 2, stride: 1024 }, { extent: 4, stride: 64 }, { extent: 4, stride: 1 }];
  assert.deepEqual(blocksText('i', digits), ['i: 1\u202f024 to the next block of 16, 64 to the next block of 4, 1 inside a block']);
});

test('where a smaller picture is drawn, the facts say of which one they are', () => {
  assert.equal(wholeText({ dims: 'NCHW', shape: [1, 3, 96, 128] }), 'Facts: the full 128 × 96 picture');
});

test('a layout without a name is told by its order, where letters can say it', () => {
  assert.equal(unnamedText({ letters: { text: 'NHCW' }, onednn: { text: 'acbd' } }), 'NHCW in letters, acbd for oneDNN. No format of the list that is searched here has these strides.');
  assert.equal(unnamedText({ letters: { text: 'NHCW' }, onednn: { reason: 'none' } }), 'NHCW in letters. No format of the list that is searched here has these strides.');
  assert.equal(unnamedText({ letters: { reason: 'blocks' }, onednn: { text: 'ABcd8a16b2a' } }), 'ABcd8a16b2a for oneDNN. No format of the list that is searched here has these strides.');
  assert.equal(unnamedText({ letters: { reason: 'gaps' } }), 'No format of the list that is searched here has these strides.');
});
