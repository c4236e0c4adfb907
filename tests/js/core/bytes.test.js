import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesOf, cacheLine } from '../../../static/core/bytes.js';

test('an element begins at a byte, or at a bit within one', () => {
  assert.deepEqual(bytesOf(7, 32), { bytes: 28n, bits: 0 });
  assert.deepEqual(bytesOf(7, 4), { bytes: 3n, bits: 4 });
  assert.deepEqual(bytesOf(3, 6), { bytes: 2n, bits: 2 });
  assert.deepEqual(bytesOf('9223372036854775807', 16), { bytes: 18446744073709551614n, bits: 0 });
});

test('a cache line holds 64 bytes, and one element where that is larger', () => {
  assert.deepEqual([4, 8, 32, 64, 1024].map(cacheLine), [128, 64, 16, 8, 1]);
});
