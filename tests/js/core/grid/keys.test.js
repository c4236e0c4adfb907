import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedAddress } from '../../../../static/core/grid/keys.js';

test('keys move along a row of memory, between rows and to its ends, and never leave it', () => {
  /** @param {number} from @param {string} key @param {boolean} [ctrlKey] */
  const from = (from, key, ctrlKey = false) => movedAddress(from, 12, 160, { key, ctrlKey });
  assert.deepEqual(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map((key) => from(30, key)), [29, 31, 18, 42]);
  assert.deepEqual(['ArrowLeft', 'ArrowUp'].map((key) => from(0, key)), [0, 0]);
  assert.deepEqual(['ArrowRight', 'ArrowDown'].map((key) => from(159, key)), [159, 159]);
  assert.deepEqual([from(30, 'Home'), from(30, 'End'), from(30, 'Home', true), from(30, 'End', true)], [24, 35, 0, 159]);
  assert.deepEqual([from(5, 'PageDown'), from(101, 'PageDown'), from(101, 'PageUp'), from(5, 'PageUp')], [101, 149, 5, 5]);
  assert.equal(from(159, 'End'), 159, 'the last row is shorter');
  assert.equal(from(30, 'a'), null);
});
