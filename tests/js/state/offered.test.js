import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRowMajor } from '../../../static/api/dense-layout.js';
import { fullShape, offersFor } from '../../../static/state/half-typed.js';
import { parseState } from '../../../static/state/permalink.js';

nameRowMajor(['', 'W', 'HW', 'CHW', 'NCHW']);

/** @param {number} sizes that the layout needs @param {string} [full] a shape of so many */
const wants = (sizes, full = '') => [{ field: /** @type {const} */ ('layout'), about: /** @type {const} */ ('shape'), message: 'expected other sizes', position: null, sizes, full }];

/** @param {string} shape @param {string} [layout] */
const typed = (shape, layout = '') => ({ shape, layout });

/**
 * What a server that pads the channels to a block of 16 is asked, and the shape to offer then.
 * @param {import('node:test').TestContext} context
 * @param {string} shape
 * @param {number} sizes
 */
async function full(context, shape, sizes) {
  /** @type {(string | null)[]} */
  const asked = [];
  context.mock.method(globalThis, 'fetch', async (/** @type {string} */ url) => {
    asked.push(new URLSearchParams(url.split('?')[1]).get('shape'));
    const padded_shape = asked[0]?.split(',').map((size, dim) => (dim === 1 ? Math.ceil(Number(size) / 16) * 16 : Number(size)));
    return new Response(JSON.stringify({ padded_shape }), { status: 200 });
  });
  const { a } = parseState(`shape=${shape}&layout=nChw16c`);
  return [asked, await fullShape(a, wants(sizes), new AbortController().signal)];
}

test('where a layout needs more sizes, a shape with sizes of 1 in front is offered that fills its blocks', async (context) => {
  assert.deepEqual(await full(context, '2,3,4', 4), [['1,2,3,4'], '1,16,3,4']);
  assert.deepEqual(await full(context, '40x3', 3), [['1,40,3'], '1,48,3']);
  for (const [shape, sizes] of /** @type {const} */ ([['1,2,3,4', 3], ['2,,4', 4]])) assert.deepEqual(await full(context, shape, sizes), [[], '']);
  const offers = offersFor('layout', typed('2,3,4'), wants(4, '1,16,3,4'), 3);
  assert.deepEqual(offers, [{ words: 'or take the shape 1,16,3,4', fields: { shape: '1,16,3,4' } }]);
});

test('a shape that the layout refuses is not offered', async (context) => {
  context.mock.method(globalThis, 'fetch', async () => new Response('{"errors": [{"field": "shape", "message": "no"}]}', { status: 422 }));
  assert.equal(await fullShape(parseState('shape=3,4&layout=NCHW_VECT_C').a, wants(4), new AbortController().signal), '');
});

test('a shape of another rank may have the plain layout of its rank, or sizes of 1 in front', () => {
  assert.deepEqual(offersFor('shape', typed('2,3'), wants(3, '1,2,3'), 3), [
    { words: 'or take the layout HW', fields: { layout: 'HW', dims: '' } },
    { words: 'or take the shape 1,2,3', fields: { shape: '1,2,3' } },
  ]);
  // What it waits for is no error yet.
  assert.deepEqual(offersFor('shape', typed('2,3'), [], 3).map(({ words }) => words), ['or take the layout HW']);
});

test('the layout that is offered has the order and the block of the typed name, where its letters are left', () => {
  const offered = (/** @type {string} */ shape, /** @type {string} */ layout) => offersFor('shape', typed(shape, layout), [], 0)[0].fields.layout;
  const rows = { NHWC: 'HWC', nhwc: 'HWC', CHWN: 'CHW', NWHC: 'WHC', NCHW4: 'CHW4', nChw16c: 'CHW', OIHW: 'CHW', '12,4,1': 'CHW' };
  for (const [layout, left] of Object.entries(rows)) assert.equal(offered('2,3,4', layout), left);
  assert.deepEqual([offered('3,4', 'NWHC4'), offered('1,2,3,4', 'NDHWC')], ['WH', 'NHWC']);
});

test('nothing is offered where sizes would have to go, nor where the shape is no list of sizes', () => {
  assert.deepEqual(offersFor('layout', typed('1,2,3,4'), wants(3), 4), []);
  assert.deepEqual(offersFor('layout', typed('2,,4'), wants(4), 3), []);
  assert.deepEqual(offersFor('layout', typed('2,3,4'), [], 3), []);
});
