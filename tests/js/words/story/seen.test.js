import assert from 'node:assert/strict';
import test from 'node:test';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { seenText } from '../../../../static/words/story/seen.js';
import { describe } from '../../random-layouts.js';

/** @typedef {import('../../../../static/state/types.js').Answer} Answer */

/**
 * The answer of a matrix with these strides.
 * @param {[number, number]} strides
 * @param {Record<string, boolean | null>} properties
 * @param {{shape?: [number, number], bits?: number, elements?: number, blocked?: boolean, view?: boolean}} [more] blocked: there is no stride for each dimension; view: of another tensor's memory
 */
function answer(strides, properties, { shape = [2, 3], bits = 32, elements = 1 + strides[0] * (shape[0] - 1) + strides[1] * (shape[1] - 1), blocked = false, view = false } = {}) {
  const digits = strides.map((stride, dim) => [{ extent: shape[dim], stride }]);
  const tensor = createTensor({ ...describe(shape, digits, 0), dims: 'HW' });
  const description = { shape, properties, not_applicable: blocked ? ['contiguous', 'dense'] : [], strides: blocked ? null : strides, buffer: { elements, bytes: (elements * bits) / 8 } };
  return /** @type {Answer} */ (/** @type {unknown} */ ({ tensor, itemsize_bits: bits, description, memory: { description: view ? { ...description, buffer: { elements: 12 } } : description } }));
}

const PACKED = { packed: true, padded: false };
const ROWS = answer([3, 1], PACKED);

/** @type {[string, Answer | null, Answer, Parameters<typeof seenText>[2], string][]} */
const TABLE = [
  ['another order', ROWS, answer([1, 2], PACKED), { selected: [1, 0] }, 'h 1, w 0 was at address 3 and is at 1 now. The buffer keeps its 6 addresses.'],
  ['gaps', answer([3, 1], { ...PACKED, overlapping: false }), answer([5, 1], { packed: false, padded: true, overlapping: false }), { selected: [1, 0] },
    'h 1, w 0 was at address 3 and is at 5 now. The buffer has 8 addresses instead of 6; 2 of them hold no element (8 bytes). Now it is with padding or gaps; no longer packed.'],
  ['wider elements', ROWS, answer([3, 1], PACKED, { bits: 64 }), { selected: [1, 0] }, 'h 1, w 0 stays at address 3, which is byte 24 instead of 12. The buffer keeps its 6 addresses.'],
  ['more elements', ROWS, answer([3, 1], PACKED, { shape: [4, 3] }), { selected: null }, '4 × 3 elements. The buffer has 12 addresses instead of 6.'],
  ['a cell that is gone', ROWS, answer([3, 1], PACKED, { shape: [1, 3] }), { selected: [1, 0] }, '1 × 3 elements. The buffer has 3 addresses instead of 6.'],
  ['beside B', ROWS, ROWS, { selected: [1, 0], b: answer([1, 2], PACKED) }, 'h 1, w 0: address 3 in A, 1 in B. The buffer keeps its 6 addresses.'],
  ['an own tensor beside B', null, ROWS, { selected: [1, 0], b: answer([1, 2], PACKED) }, 'h 1, w 0: address 3 in A, 1 in B.'],
  ['numbers that are addresses now', answer([1, 6], { contiguous: false }, { shape: [6, 5] }), answer([5, 1], { contiguous: true }, { shape: [6, 5] }), { selected: [1, 0] },
    'h 1, w 0 was at address 1 and is at 5 now. Here number and address agree: the numbers count in this order. The buffer keeps its 30 addresses. Now it is contiguous.'],
  ['letters, which are no addresses', answer([1, 2], { contiguous: false }), answer([3, 1], { contiguous: true }), { selected: null }, 'The buffer keeps its 6 addresses. Now it is contiguous.'],
  ['a slice', ROWS, ROWS, { selected: null, offsets: [0, 2, '4'] }, 'The slice takes the addresses 0, 2, 4. The buffer keeps its 6 addresses.'],
  ['a link to the end of a trial', null, ROWS, { selected: [1, 0] }, 'h 1, w 0 is at address 3. The buffer has 6 addresses.'],
  ['an own tensor with gaps', null, answer([5, 1], { overlapping: false }), { selected: [1, 0] }, 'h 1, w 0 is at address 5. The buffer has 8 addresses; 2 of them hold no element (8 bytes).'],
  ['a view, beside which other elements lie', null, answer([6, 2], { overlapping: false }, { view: true }), { selected: [1, 0] }, 'h 1, w 0 is at address 6. The buffer has 12 addresses.'],
  ['an own tensor of shared addresses', null, answer([0, 5], { overlapping: true }), { selected: [1, 0] }, 'h 1, w 0 is at address 0. The buffer has 11 addresses. Elements share addresses.'],
  ['a property that nobody knows', answer([3, 1], { dense: null }), answer([3, 1], { dense: null }), { selected: null }, 'The buffer keeps its 6 addresses.'],
  ['nothing for who is told little', ROWS, answer([1, 2], PACKED), { selected: [1, 0], properties: false }, 'h 1, w 0 was at address 3 and is at 1 now.'],
  ['less, for who is told little', answer([5, 1], PACKED), ROWS, { selected: null, properties: false }, 'The buffer has 6 addresses instead of 8.'],
  ['blocks, which are neither dense nor not', answer([3, 1], { dense: true }), answer([3, 1], { dense: false }, { blocked: true }), { selected: null }, 'The buffer keeps its 6 addresses.'],
];

/** @param {Answer} one @param {Record<string, unknown>} more */
const named = (one, more) => /** @type {Answer} */ ({ ...one, description: { ...one.description, ...more } });
const NAMED = { layout: '(1, 2)', names: { letters: [{ name: 'WH', cause: null }], onednn: [{ name: 'ba', cause: null }], pytorch: [{ name: 'contiguous_format', cause: null }] } };
const BOTH = [{ name: 'WH', cause: 'same_memory', reason: 'with these sizes HW16 is the same memory', rivals: ['HW16'] }];
const ALONE = { names: { ...NAMED.names, letters: [] } };

TABLE.push(
  ['another order by name', named(ROWS, { layout: 'HW' }), named(answer([1, 2], PACKED), { layout: 'WH' }), { selected: [1, 0] }, 'h 1, w 0 is at address 3 in HW, at 1 in WH. The buffer keeps its 6 addresses.'],
  ['strides that have a name', null, named(answer([1, 2], PACKED), NAMED), { selected: null }, 'This is WH, contiguous_format in PyTorch. The buffer has 6 addresses.'],
  ['strides whose name is not sure', null, named(answer([1, 2], PACKED), { ...NAMED, names: { letters: [{ name: 'WH', cause: 'size_one' }] } }), { selected: null }, 'The buffer has 6 addresses.'],
  ['strides with two names', null, named(answer([1, 2], PACKED), { ...NAMED, names: { ...NAMED.names, letters: BOTH } }), { selected: null },
    'This is WH, contiguous_format in PyTorch. With these sizes HW16 is the same memory. The buffer has 6 addresses.'],
  ['strides with names that say nothing', null, named(answer([1, 2], PACKED), { ...NAMED, names: { letters: [{ ...BOTH[0], rivals: ['HW4', 'HW8', 'HW16'] }] } }), { selected: null }, 'The buffer has 6 addresses.'],
  ['a layout by its name', null, named(answer([1, 2], PACKED), { ...NAMED, layout: 'WH' }), { selected: null }, 'The buffer has 6 addresses.'],
  ['a name in other letters', null, named(answer([1, 2], PACKED), { ...NAMED, layout: 'wh' }), { selected: null }, 'The buffer has 6 addresses.'],
  ['a name of another system', null, named(answer([1, 2], PACKED), { ...NAMED, layout: '{0,1}' }), { selected: null }, 'This is WH, contiguous_format in PyTorch. The buffer has 6 addresses.'],
  ['a name of PyTorch', null, named(answer([1, 2], PACKED), { ...NAMED, layout: 'contiguous_format' }), { selected: null }, 'This is WH. The buffer has 6 addresses.'],
  ['a tag of dimensions without letters', null, named(answer([1, 2], PACKED), { ...NAMED, ...ALONE }), { selected: null }, 'This is ba, contiguous_format in PyTorch. The buffer has 6 addresses.'],
  ['a tag of blocks', null, named(answer([1, 2], PACKED), { layout: 'NCHW4', names: { onednn: [{ name: 'nChw4c', cause: null }] } }), { selected: null }, 'The buffer has 6 addresses.'],
  ['several tags', null, named(answer([1, 2], PACKED), { ...NAMED, names: { pytorch: NAMED.names.pytorch, onednn: [{ name: 'io', cause: null }, { name: 'ba', cause: null }] } }), { selected: null }, 'The buffer has 6 addresses.'],
  ['a layout that says the tag', null, named(answer([1, 2], PACKED), { ...NAMED, ...ALONE, layout: 'ba' }), { selected: null }, 'The buffer has 6 addresses.'],
);

for (const [name, before, now, shown, said] of TABLE) test(`what was seen follows from the answers: ${name}`, () => assert.equal(seenText(before, now, shown), said));
