import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchedule } from '../../../static/core/schedule/steps.js';
import { createTensor } from '../../../static/core/layout/tensor.js';
import { counterText, moveText, orderText, registersText, stepText, stridesText, unmarkedText, windowText, writtenText } from '../../../static/words/reorder.js';

/** Rows of 13 bytes that get room for 16, three of them zeros. */
const schedule = createSchedule({
  steps: 4,
  plan: {
    kernel: 'strided', copy_needed: true, elements: 26, element_bits: 8, bytes_read: 26, bytes_written: 32, tables: null,
    moves: [{
      kernel: 'runs', unit_bits: 8, source: 0, target: 0, run: 1, fill_run: 1, origin: null, addresses: null, registers: null, first: 0, steps: 4,
      loops: [
        { extent: 2, source_stride: 13, target_stride: 16, fill: 0 },
        { extent: 13, source_stride: 1, target_stride: 1, fill: 3 },
      ],
    }],
  },
});
const target = createTensor({
  shape: [2, 13], dims: 'HW', offset: 0, buffer: { elements: 32 },
  digits: [[{ extent: 2, stride: 16 }], [{ extent: 16, stride: 1 }]],
});

test('a step is one sentence', () => {
  assert.equal(stepText(schedule.stepAt(2), schedule, target), 'A[13 to 25] → B[16 to 28]: a run of 13 units of 8 bits, from h=1 w=0 on');
  assert.equal(stepText(schedule.stepAt(3), schedule, target), 'zeros → B[29 to 31]: 3 places of padding');
});

test('loops have their indices and strides, and the target says how much of it is written', () => {
  const [move] = schedule.moves;
  const run = /** @type {number} */ (move.run);
  assert.equal(counterText(move, schedule.stepAt(0), run), '0 to 12');
  assert.match(stridesText(move, run), /^A \+1, B \+1$/);
  assert.match(stridesText({ ...move, source: null }, run), /^B \+1$/);
  assert.equal(writtenText(schedule, -1, target.bufferElements), '0 of 32 written');
  assert.equal(writtenText(schedule, 2, target.bufferElements), '29 of 32 written');
  assert.equal(writtenText(schedule, 3, target.bufferElements), '32 of 32 written');
  assert.equal(unmarkedText({ rows: { a: [] } }), '');
  assert.match(unmarkedText({ rows: { a: null } }), /share addresses/);
});

test('of registers that are not full, what is in them is counted', () => {
  const lane = (/** @type {number} */ row, /** @type {number} */ column) => ({ row, column, source: 0, target: 0, kept: row < 4 && column < 3 });
  const loaded = Array.from({ length: 4 }, (_, row) => Array.from({ length: 4 }, (_, column) => lane(row, column)));
  const registers = /** @type {const} */ ({ kind: 'transpose', lanes: 4, unit_bits: 32, stages: [loaded, loaded, loaded] });
  assert.match(registersText(registers), /^Registers of 16 bytes, 4 units of 32 bits each: 4 rows of 3 units become 3 rows of 4 in 2 rounds /);
});

test('a move, its order and the window of the counts are named', () => {
  const [move] = schedule.moves;
  assert.equal(moveText(move).replaceAll('\u00a0', ' '), 'copy runs, units of 8 bits, steps 0 to 3');
  assert.match(orderText({ ...move, kernel: 'transpose' }), /tile by tile/);
  assert.match(orderText({ ...move, kernel: 'table' }), /its order is another/);
  assert.equal(windowText({ from: 0, to: 4, whole: true }, 3), 'Up to step 3, exact.');
  assert.match(windowText({ from: 64, to: 128, whole: false }, 70), /^From step 64 to step 70: /);
});
