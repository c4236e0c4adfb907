import assert from 'node:assert/strict';
import test from 'node:test';
import { titleText } from '../../../static/words/titles.js';
import { leftOutText, problemText, waitingText } from '../../../static/words/waiting.js';

/** @param {string} layout @param {number[]} shape */
const answer = (layout, shape) => ({ fields: { layout }, description: { shape, layout: 'canonical' } });

test('a title names the layout and the shape, and both layouts where there are two', () => {
  assert.equal(titleText(answer('NCHW4', [1, 6, 4, 5]), null), 'NCHW4 of 1×6×4×5 – Stridescope');
  assert.equal(titleText(answer(' HW ', [2, 3]), answer('WH', [2, 3])), 'HW and WH of 2×3 – Stridescope');
  assert.equal(titleText(answer('()', []), null), '() of one element – Stridescope');
});

test('a long layout is cut between characters, on one line', () => {
  const title = titleText(answer(`a\n${'🙂'.repeat(100)}`, [2]), null);
  assert.match(title, /^a (🙂){37}… of 2 – Stridescope$/u);
});

test('an error at another field names its own', () => {
  assert.equal(problemText({ field: 'layout', about: 'shape', message: 'got 4' }, 'Compare', '4'), 'Shape: got 4');
  assert.equal(problemText({ field: 'layout', about: 'layout', message: 'got 4' }, 'Compare', '4'), 'Compare: got 4');
  const few = /** @type {const} */ ({ field: 'layout', about: 'shape', message: 'expected 2 sizes', sizes: 2 });
  assert.equal(problemText(few, 'Layout', '1,6,4,5'), 'Layout: this one is for 2 sizes, but the shape 1,6,4,5 has 4');
});

test('an error repeats sizes and strides as they were typed, not as they were sent', () => {
  const shape = /** @type {const} */ ({ field: 'shape', about: 'shape', message: 'got [2, -3, 4]; expected 4 sizes' });
  assert.equal(problemText(shape, 'Shape', ' 2,-3,4'), 'Shape: got 2,-3,4; expected 4 sizes');
  assert.equal(problemText(shape, 'Shape', '2x-3x4'), 'Shape: got 2x-3x4; expected 4 sizes');
  assert.equal(problemText(shape, 'Shape', 'torch.Size([2, -3, 4])'), 'Shape: got torch.Size([2, -3, 4]); expected 4 sizes');
  assert.equal(problemText({ ...shape, message: 'got nothing; expected sizes' }, 'Shape', ''), 'Shape: got nothing; expected sizes');
});

test('sizes that a link does not name are said', () => {
  assert.equal(leftOutText('shape', '1,8,3,4'), 'The link names no shape: 1,8,3,4 stands for it.');
});

test('what waits says how to go on', () => {
  assert.equal(waitingText('layout', { kind: 'names', names: ['NHWC', 'nhwc', 'NHWCD4', 'NHWCD4_DOT'] }), 'Go on typing: NHWC, NHWCD4 …');
  assert.equal(waitingText('layout', { kind: 'names', names: ['NHWC'] }), 'Go on typing: NHWC');
  assert.equal(waitingText('layout', { kind: 'names', names: ['NCHW'], right: true }), 'Go on typing: NCHW, or press Enter.');
  assert.equal(waitingText('shape', { kind: 'count', have: 3, want: 4 }), 'Go on typing: 3 of 4 sizes');
  assert.equal(waitingText('layout', { kind: 'count', have: 1, want: 2 }), 'Go on typing: 1 of 2 strides');
  assert.equal(waitingText('slice', { kind: 'open' }), 'Go on typing.');
});
