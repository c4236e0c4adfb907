import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { keptText } from '../../../static/words/kept.js';
import { goesTo, readPlace } from '../../../static/words/place.js';
import { describe } from '../random-layouts.js';

/** NCHW4 of (2, 6, 3, 3): the last block of four channels has two places of padding. */
const BLOCKED = createTensor({
  ...describe([2, 6, 3, 3], [
    [{ extent: 2, stride: 72 }],
    [{ extent: 2, stride: 36 }, { extent: 4, stride: 1 }],
    [{ extent: 3, stride: 12 }],
    [{ extent: 3, stride: 4 }],
  ], 0),
  dims: 'NCHW',
});
const GAPPY = createTensor(describe([2, 3], [[{ extent: 2, stride: 5 }], [{ extent: 3, stride: 1 }]], 0));
const SCALAR = createTensor(describe([], [], 0));

/** @param {string} text @param {readonly number[] | null} [present] */
const go = (text, present = null) => readPlace(text, BLOCKED, 32, present);
/** @param {string} text */
const problem = (text, tensor = BLOCKED) => {
  const place = readPlace(text, tensor, 32, null);
  assert.ok('problem' in place, text);
  return place.problem;
};

const ADDRESS = 72 + 36 + 1 + 12 * 2 + 4; // of (1, 5, 2, 1)

test('coordinates in every spelling', () => {
  for (const text of [
    '1,5,2,1', ' 1, 5, 2, 1 ', '(1, 5, 2, 1)', '[1, 5, 2, 1]', '[1][5][2][1]', 'x[1, 5, 2, 1]', 'a[1] [5][2][1]', '1 5 2 1', '1;5;2;1',
    'n=1 c=5 h=2 w=1', 'n=1, c=5, h=2, w=1', 'N=1 C=5 W=1 H=2', 'n 1, c 5, h 2, w 1', 'n = 1 c = 5 h = 2 w = 1',
    '-1,-1,-1,1', 'n=-1 c=5 h=-1 w=1', '(1, 5, 2, 1,)',
  ]) {
    assert.deepEqual(go(text), { coords: [1, 5, 2, 1], address: ADDRESS, note: '' }, text);
  }
  assert.deepEqual(go('c=5', [1, 0, 2, 1]), { coords: [1, 5, 2, 1], address: ADDRESS, note: '' }, 'the others stay');
  assert.deepEqual(go('w=2'), { coords: [0, 0, 0, 2], address: 8, note: '' });
  assert.deepEqual(readPlace('()', SCALAR, 32, null), { coords: [], address: 0, note: '' });
});

test('addresses and bytes, and what was made of them', () => {
  assert.deepEqual(go('137'), { coords: [1, 5, 2, 1], address: 137, note: '' });
  assert.deepEqual(go('address 137'), go('137'));
  assert.deepEqual(go('0x89'), { ...go('137'), note: '0x89 is address 137, counted in elements.' });
  assert.deepEqual(go('byte 548'), { ...go('137'), note: 'Byte 548 lies in the element at address 137.' });
  assert.match(JSON.stringify(go('bytes 0x226')), /address 137, 2 bytes after its start/);
  assert.deepEqual(readPlace('byte 3', BLOCKED, 4, null), { ...go('6'), note: 'Byte 3 begins with the element at address 6.' }, 'two to a byte');
  assert.deepEqual(go('1\u202f00'), go('100'), 'thousands as the page writes them');
});

test('an address without an element says what lies there', () => {
  assert.deepEqual(go('38'), { coords: null, address: 38, note: 'Address 38 is padding: the layout keeps the place, but no element lies there (it would be n 0, c 6, h 0, w 0).' });
  assert.deepEqual(readPlace('byte 12', GAPPY, 32, null), {
    coords: null, address: 3, note: 'Byte 12 lies in the element at address 3. Address 3 is a gap: no coordinate leads there.',
  });
});

test('what leads nowhere says why', () => {
  assert.equal(problem('144'), 'Address 144 is outside. This memory has 144 addresses, from 0 to 143.');
  assert.match(problem('99999999999999999999'), /^This address is outside/);
  assert.match(problem('-3'), /not negative/);
  assert.equal(problem('1,2,3'), 'A coordinate of this tensor has 4 indices (n, c, h, w), not 3.');
  assert.equal(problem('0,6,0,0'), 'c goes from 0 to 5, not 6.');
  assert.equal(problem('0,-7,0,0'), 'c goes from 0 to 5, not −7.');
  assert.equal(problem('q=3'), 'There is no dimension q: they are n, c, h, w.');
  assert.equal(problem('c=1 c=2'), 'c is given twice.');
  assert.match(problem(''), /^Type an address such as 118/);
  assert.match(problem('there'), /“there” is not understood here.*1,5,2,2/);
  assert.match(problem('1.5'), /not understood/);
  assert.match(problem('x'.repeat(5000)), /longer than 400/);
  assert.match(problem('1,2', SCALAR), /has no index, not 2/);
});

test('any text has an answer, and answers come at once', () => {
  const pieces = ['n', '=', '1', ',', '[', ']', '(', ' ', '-', '0x', 'byte', '@', '\u202f', 'ﬀ', '🙂', ';', '9'.repeat(20)];
  let state = 7;
  const random = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let number = 0; number < 5000; number += 1) {
    const text = Array.from({ length: Math.floor(random() * 30) }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const place = go(text);
    if ('problem' in place) assert.ok(place.problem.length > 5 && place.problem.length < 300, text);
    else assert.ok(place.address >= 0 && place.address < BLOCKED.bufferElements, text);
  }
});

test('how many elements keep their address, in words', () => {
  const say = (/** @type {number} */ kept, /** @type {number} */ elements, exact = true) => keptText({ kept, elements, exact });
  assert.equal(say(36, 120), '36 of 120 elements keep their address.');
  assert.equal(say(1, 120), '1 of 120 elements keeps its address.');
  assert.equal(say(0, 120), 'None of 120 elements keeps its address.');
  assert.equal(say(120, 120), 'All 120 elements keep their address.');
  assert.equal(say(1, 1), 'The only element keeps its address.');
  assert.equal(say(0, 0), 'No elements.');
  assert.match(say(1e11, 1e12, false), /^About 10 % of .* \(estimated from a sample\)\.$/);
  assert.match(say(0, 1e12, false), /^Fewer than 0.1 %/);
  assert.match(say(1e12, 1e12, false), /^More than 99.9 %/);
});

test('the empty field shows a coordinate of the tensor', () => {
  assert.equal(goesTo(['2', '3', '4']), 'Go to 0,1,2');
  assert.equal(goesTo([1, 3, 2, 3]), 'Go to 0,1,1,2');
  assert.equal(goesTo([1, 0]), 'Go to 0,0');
  assert.equal(goesTo([]), 'Go to 5');
});
