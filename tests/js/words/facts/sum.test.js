import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText } from '../../../../static/words/facts/sum.js';

test('a byte says which product it is, unless elements are bytes or smaller', () => {
  assert.equal(byteText(18, 32), 'byte 72 (18 × 4 bytes)');
  assert.equal(byteText(2500, 16), 'byte 5\u202f000 (2\u202f500 × 2 bytes)');
  assert.equal(byteText(18, 8), 'byte 18');
  assert.equal(byteText(3, 4), 'byte 1, upper half');
});
