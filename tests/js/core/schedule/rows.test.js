import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEVER } from '../../../../static/core/schedule/inverse.js';
import { createRows, lineState } from '../../../../static/core/schedule/rows.js';

test('a line is untouched, open, full, or touched by no step', () => {
  const steps = [4, 9, NEVER, 6, NEVER, NEVER, NEVER, NEVER, 2];
  const rowAt = createRows((address) => steps[address], 4, steps.length);
  assert.deepEqual([...rowAt(0).steps], [4, 9, NEVER, 6]);
  assert.deepEqual([3, 4, 8, 9].map((step) => lineState(rowAt(0), step)), ['untouched', 'open', 'open', 'full']);
  assert.equal(lineState(rowAt(1), 100), 'never');
  // Beyond the buffer lies nothing.
  assert.deepEqual([...rowAt(2).steps], [2, NEVER, NEVER, NEVER]);
  assert.equal(lineState(rowAt(2), 2), 'full');
});
