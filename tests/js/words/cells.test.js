import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogicalGrid } from '../../../static/core/grid/logical.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { logicalTable, memoryTable } from '../../../static/elements/shared/table/sources.js';
import { logicalWords, memoryWords, partText } from '../../../static/words/cells.js';
import { coordinatesOf, describe } from '../random-layouts.js';

/** NCHW4 of (1, 6, 2, 3): the last block of four channels has two places of padding. */
const BLOCKED = createTensor({
  ...describe([1, 6, 2, 3], [
    [{ extent: 1, stride: 48 }],
    [{ extent: 2, stride: 24 }, { extent: 4, stride: 1 }],
    [{ extent: 2, stride: 12 }],
    [{ extent: 3, stride: 4 }],
  ], 0),
  dims: 'NCHW',
});
const GAPPY = createTensor(describe([2, 3], [[{ extent: 2, stride: 5 }], [{ extent: 3, stride: 1 }]], 0));
const BROADCAST = createTensor({ ...describe([2, 3], [[{ extent: 2, stride: 0 }], [{ extent: 3, stride: 1 }]], 0), properties: { overlapping: true } });
const DATA = { data: Float32Array.from({ length: 36 }, (_, at) => at / 2), role: /** @type {const} */ ('data') };

/** @param {import('../../../static/core/types.js').Tensor} tensor */
const plain = (tensor, values = /** @type {typeof DATA | null} */ (null)) => ({ tensor, memory: tensor, values });

test('a cell says its coordinate, its address and its value', () => {
  assert.equal(logicalWords(plain(BLOCKED), [0, 5, 1, 2]).text, 'n 0, c 5, h 1, w 2:\naddress 45,\nelement 35');
  assert.equal(logicalWords(plain(BLOCKED, DATA), [0, 5, 1, 2]).text, 'n 0, c 5, h 1, w 2:\naddress 45,\nvalue 17.5');
  assert.deepEqual(memoryWords(plain(BLOCKED, DATA), 45), { text: 'address 45:\nn 0, c 5, h 1, w 2,\nvalue 17.5', vacant: false });
});

test('beside another layout a cell says its address there', () => {
  const rows = createTensor({ ...describe([1, 6, 2, 3], [36, 6, 3, 1].map((stride, at) => [{ extent: [1, 6, 2, 3][at], stride }]), 0), dims: 'NCHW' });
  const other = { name: 'B', tensor: rows };
  assert.equal(logicalWords({ ...plain(BLOCKED), other }, [0, 5, 1, 2]).text, 'n 0, c 5, h 1, w 2:\naddress 45,\nin B address 35,\nelement 35');
  assert.match(memoryWords({ ...plain(BLOCKED), other }, 45).text, /w 2,\nin B address 35,\nelement 35$/);
  assert.equal(memoryWords({ ...plain(GAPPY), other }, 6).text.includes('in B'), false);
});

test('padding, gaps and shared addresses are named', () => {
  assert.deepEqual(memoryWords(plain(BLOCKED), 26), { text: 'address 26:\npadding: it would be\nn 0, c 6, h 0, w 0', vacant: true });
  assert.deepEqual(memoryWords(plain(GAPPY), 3), { text: 'address 3:\ngap', vacant: true });
  assert.match(memoryWords(plain(BROADCAST), 1).text, /element 1,\nshared by 2$/);
  assert.match(logicalWords(plain(BROADCAST), [1, 2]).text, /address 2,\nelement 2,\nshared by 2$/);
});

test('what a view leaves out is named by the tensor before its steps', () => {
  const whole = createTensor(describe([2, 3], [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]], 0));
  const row = createTensor({ ...describe([3], [[{ extent: 3, stride: 1 }]], 3), buffer: { elements: 6 } });
  const source = { tensor: row, memory: whole, values: null };
  assert.match(memoryWords(source, 1).text, /^address 1:\nnot in the view:\n\w+ 0, \w+ 1 before the steps$/);
  assert.match(memoryWords(source, 4).text, /^address 4:\n\w+ 1,\nelement 4$/);
});

test('the table of a logical tensor has every element once, at an index without the gaps', () => {
  const grid = createLogicalGrid(BLOCKED, 1.5);
  const table = logicalTable(plain(BLOCKED), grid);
  const seen = new Set();
  for (const coords of coordinatesOf(BLOCKED.shape)) {
    const cell = grid.cellOf(coords);
    const [row, column] = [table.rowOf(cell.row), table.columnOf(cell.column)];
    assert.ok(row !== null && column !== null && row >= 1 && row <= table.rows && column >= 1 && column <= table.columns);
    assert.equal(table.wordsAt(cell)?.text, logicalWords(plain(BLOCKED), coords).text);
    seen.add(`${row},${column}`);
  }
  assert.equal(seen.size, BLOCKED.elements);
  assert.equal(table.rowOf(grid.planeRows), null, 'the gap between planes is no row');
});

test('the table of a memory ends where the buffer ends', () => {
  const table = memoryTable(plain(GAPPY), 5);
  assert.deepEqual([table.rows, table.columns], [2, 5]);
  assert.equal(table.wordsAt({ column: 2, row: 1 })?.text.startsWith('address 7:'), true);
  assert.equal(table.wordsAt({ column: 3, row: 1 }), null);
});

test('a table that is a part of a grid says which', () => {
  const whole = { first: 1, last: 8, count: 8 };
  assert.equal(partText(whole, whole), '');
  assert.equal(partText({ first: 11, last: 20, count: 4096 }, whole), 'Rows 11 to 20 of 4\u202f096. Move or zoom to see others.');
  assert.equal(partText(whole, { first: 1, last: 4, count: 9 }), 'Columns 1 to 4 of 9. Move or zoom to see others.');
});
