import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatState, parseState } from '../../../static/state/permalink.js';

/**
 * Links as they were given away: each keeps its meaning for ever. A row is added for each new name of a link, and none
 * is ever changed.
 * @type {readonly [string, (state: import('../../../static/state/types.js').PageState) => unknown, unknown][]}
 */
const LINKS = [
  ['shape=1,6,4,5&layout=NCHW4', ({ a }) => [a.shape, a.layout, a.dtype], ['1,6,4,5', 'NCHW4', 'float32']],
  ['v=1&shape=1,6,4,5&layout=NCHW4', ({ a }) => [a.shape, a.layout], ['1,6,4,5', 'NCHW4']],
  ['v=1&shape=2,3&layout=strides:(5,1)%2B3', ({ a }) => a.layout, 'strides:(5,1)+3'],
  ['v=1&shape=2%2C3&layout=%285%2C+1%29&dtype=int4&dims=HW&elements=12', ({ a }) => [a.shape, a.layout, a.dtype, a.dims, a.elements], ['2,3', '(5, 1)', 'int4', 'HW', '12']],
  ['v=1&shape=2,3,4,5&layout=NCHW&b-layout=NHWC&side=b', ({ b, side }) => [b?.layout, side], ['NHWC', 'b']],
  ['v=1&shape=2,3,4,5&layout=NCHW&at=1,2,3,4', ({ selected }) => selected, [1, 2, 3, 4]],
  ['v=1&shape=2,3&layout=HW&row=line', ({ rowLength }) => rowLength, 'line'],
  ['v=1&shape=2,3&layout=HW&row=3', ({ rowLength }) => rowLength, 3],
  ['v=1&shape=2,3&layout=HW&lv=20,0,0&mv=fit', ({ view }) => [view.logical, view.memory], [{ cell_css: 20, left_cells: 0, top_cells: 0 }, 'fit']],
  ['v=1&shape=2,3&layout=HW&bv=4,1,2', ({ apart }) => apart, true],
  ['v=1&shape=2,3&layout=HW&b-layout=WH&apart=1', ({ apart }) => apart, true],
  ['v=1&shape=2,3&layout=HW&colour=@line&text=coords', ({ colour, text }) => [colour, text], ['@line', 'coords']],
  ['v=1&shape=2,3&layout=HW&slice=0,+::-1', ({ a }) => a.slice, '0, ::-1'],
  ['v=1&shape=2,3&layout=HW&steps=permute(1,0)', ({ a }) => a.steps, 'permute(1,0)'],
  ['v=1&shape=2,3&layout=HW&walk=memory&t=5', ({ walk }) => walk, { order: 'memory', step: 5 }],
  ['v=1&shape=2,3&layout=HW&cost=warp&along=W&vector=4&space=shared', ({ cost }) => [cost.what, cost.along, cost.vector, cost.space], ['warp', 'W', 4, 'shared']],
  ['v=1&shape=2,3&layout=HW&order=HW&line=128&page=8192&cache=32768&ways=4', ({ cost }) => [cost.order, cost.line_bytes, cost.page_bytes, cost.cache_bytes, cost.ways], ['HW', 128, 8192, 32768, 4]],
  ['v=1&shape=2,3&layout=HW&sample=picture&show=memories&tab=cost', ({ sample, show, tab }) => [sample, show, tab], ['picture', 'memories', 'cost']],
  ['v=1&shape=2,3&layout=HW&of-the-future=1', ({ a }) => a.layout, 'HW'],
];

for (const [link, part, expected] of LINKS) {
  test(`the old link ${link}`, () => {
    const state = parseState(link);
    assert.deepEqual(part(state), expected);
    assert.deepEqual(parseState(formatState(state)), state, 'a link made of it says the same');
  });
}
