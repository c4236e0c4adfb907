import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineCount, windowAt } from '../../../../static/core/schedule/lines.js';
import { createSchedule } from '../../../../static/core/schedule/steps.js';

/** @param {number} rows @param {number} columns of a transposition of floats */
function turned(rows, columns) {
  const loops = [
    { extent: columns, source_stride: 1, target_stride: rows, fill: 0 },
    { extent: rows, source_stride: columns, target_stride: 1, fill: 0 },
  ];
  return planOf([{ kernel: 'transpose', loops, run: null, steps: rows * columns }]);
}

/** @param {{kernel: string, loops: object[], run: number | null, steps: number}[]} moves */
function planOf(moves) {
  let first = 0;
  const given = moves.map((move) => {
    first += move.steps;
    return { unit_bits: 32, source: 0, target: 0, fill_run: null, origin: null, addresses: null, ...move, first: first - move.steps };
  });
  const plan = { kernel: 'strided', copy_needed: true, elements: 0, element_bits: 32, bytes_read: 0, bytes_written: 0, moves: given, tables: null };
  return createSchedule(/** @type {any} */ ({ steps: first, plan }));
}

test('a small plan is counted whole, in slices of any size', () => {
  const schedule = turned(64, 64);
  const window = windowAt(schedule, 2000);
  assert.deepEqual(window, { from: 0, to: 4096, whole: true });
  const count = new LineCount(schedule, window, { source: 4096, target: 4096 });
  assert.equal(count.upTo(0), null);
  while (!count.done) count.advance(1000);
  // The first column of A: one line for each of its 64 rows; in B 64 floats, which are four lines.
  const column = count.upTo(63);
  assert.equal(column?.read.lines, 64);
  assert.equal(column?.written.lines, 4);
  assert.equal(column?.read.wasted_bytes, 64 * 64 - 256);
  assert.equal(column?.written.wasted_bytes, 0);
  assert.equal(count.upTo(4095)?.read.lines, 256);
  assert.equal(count.upTo(4095)?.read.wasted_bytes, 0);
  // Column 0 opens a line, column 15 closes it.
  assert.deepEqual(count.read.spanOf(0), { first: 1, last: 15 * 64 + 1 });
});

test('a large plan is counted in a named window', () => {
  const schedule = turned(2 ** 20, 2 ** 20);
  const window = windowAt(schedule, 10 ** 12);
  assert.equal(window.whole, false);
  assert.ok(window.from <= 10 ** 12 && window.to > 10 ** 12);
  assert.equal(window.from % (window.to - window.from), 0);
  const count = new LineCount(schedule, window, { source: 2 ** 40, target: 2 ** 40 });
  count.advance(1000);
  assert.equal(count.upTo(window.from + 99)?.copied_bytes, 400);
});

test('a run of 10^12 bytes is one step, which is counted without a loop over its lines', () => {
  const loops = [{ extent: 2.5e11, source_stride: 1, target_stride: 1, fill: 0 }];
  const schedule = planOf([{ kernel: 'runs', loops, run: 0, steps: 1 }]);
  const count = new LineCount(schedule, windowAt(schedule, 0), { source: 2.5e11, target: 2.5e11 });
  count.advance(1);
  assert.equal(count.upTo(0)?.read.lines, 1e12 / 64);
  assert.equal(count.upTo(0)?.written.wasted_bytes, 0);
});
