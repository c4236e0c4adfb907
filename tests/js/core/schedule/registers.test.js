import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registersOf } from '../../../../static/core/schedule/registers.js';
import { createSchedule } from '../../../../static/core/schedule/steps.js';

/** @typedef {import('../../../../static/core/schedule/registers.js').Lane} Lane */

/**
 * @param {[extent: number, source: number, target: number, fill?: number][]} loops
 * @param {number} unit_bits
 * @param {import('../../../../static/core/schedule/types.js').RegistersJson | null} registers
 */
function transposition(loops, unit_bits, registers) {
  const steps = loops.reduce((product, [extent, , , fill = 0]) => product * (extent + Math.min(fill, 1)), 1);
  const fills = loops.findIndex(([, , , fill]) => fill);
  return createSchedule({
    steps,
    plan: {
      kernel: 'strided', copy_needed: true, elements: 0, element_bits: unit_bits, bytes_read: 0, bytes_written: 0, tables: null,
      moves: [{
        kernel: 'transpose', unit_bits, source: 0, target: 0, run: null, fill_run: fills < 0 ? null : fills,
        origin: null, addresses: null, registers, first: 0, steps,
        loops: loops.map(([extent, source_stride, target_stride, fill = 0]) => ({ extent, source_stride, target_stride, fill })),
      }],
    },
  });
}

/** @param {readonly (readonly Lane[])[]} registers @param {'source' | 'target'} side */
function runs(registers, side) {
  for (const register of registers) {
    const stored = register.filter((lane) => lane.kept && lane[side] !== null);
    for (let at = 1; at < stored.length; at += 1) assert.equal(stored[at][side], Number(stored[at - 1][side]) + 1);
  }
}

// As the engine says it for these loops: tests/engine/reorder/test_registers.py.
for (const [name, kind, loops, bits, rounds, along, chain, rows] of /** @type {const} */ ([
  ['16 rows of bytes', 'transpose', [[40, 1, 24], [24, 100, 1]], 8, 4, 0, [1], 24],
  ['4 rows of floats', 'transpose', [[3, 64, 100], [9, 1, 6], [6, 9, 1]], 32, 2, 1, [2], 6],
  ['2 rows of doubles', 'transpose', [[9, 1, 8], [8, 9, 1]], 64, 1, 0, [1], 8],
  ['four rows interleaved into a run', 'interleave', [[9, 1, 4], [4, 9, 1]], 32, 2, 0, [1], 4],
  ['four rows of bytes interleaved', 'interleave', [[50, 1, 4], [4, 50, 1]], 8, 2, 0, [1], 4],
  ['three rows interleaved', 'interleave', [[9, 1, 3], [3, 9, 1]], 32, 1, 0, [1], 3],
  ['two rows and two of zeros interleaved', 'interleave', [[9, 1, 4], [2, 9, 1, 2]], 32, 2, 0, [1], 4],
  ['a run of three taken apart', 'separate', [[3, 1, 50], [50, 3, 1]], 8, 1, 0, [1], 50],
  ['a run of four taken apart', 'separate', [[4, 1, 9], [9, 4, 1]], 32, 2, 0, [1], 9],
])) {
  test(`${name}: contiguous before the first round and after the last`, () => {
    const schedule = transposition(loops.map((loop) => /** @type {[number, number, number, number?]} */ ([...loop])), bits, { way: kind, along, chain, rows });
    for (let number = 0; number < schedule.steps; number += 1) {
      const step = schedule.stepAt(number);
      const registers = registersOf(schedule.moves[0], step);
      assert.ok(registers);
      assert.equal(registers.kind, kind);
      assert.equal(registers.stages.length, rounds + 1);
      assert.ok(registers.stages.flat().every((register) => register.length === 128 / bits));
      runs(registers.stages[0], 'source');
      runs(/** @type {Lane[][]} */ (registers.stages.at(-1)), 'target');
      const own = registers.stages[0].flat().find(({ target, kept }) => kept && target === step.target_address);
      assert.equal(own?.source, step.source_address, `the unit of step ${number} is in a register`);
      for (const stage of registers.stages) assert.deepEqual(new Set(stage.flat()), new Set(registers.stages[0].flat()));
    }
  });
}

test('what the plan does not transpose is in no register', () => {
  const { moves, stepAt } = transposition([[9, 1, 6], [6, 9, 1]], 128, null);
  assert.equal(registersOf(moves[0], stepAt(0)), null);
});
