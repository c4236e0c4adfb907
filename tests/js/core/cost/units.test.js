import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNIT_COLOURS, unitOf } from '../../../../static/core/cost/units.js';
import { seeded } from '../../random-layouts.js';

test('the unit of an address is that of the first bit of its element', () => {
  const random = seeded(5);
  for (let number = 0; number < 2000; number += 1) {
    const colour = Object.keys(UNIT_COLOURS)[random(4)];
    const sizes = { line_bytes: [1, 16, 64, 12][random(4)], page_bytes: [4096, 100][random(2)], itemsize_bits: [4, 8, 16, 32, 64][random(5)] };
    const unit = unitOf(colour, sizes);
    assert.ok(unit);
    const address = random(100_000);
    const byte = BigInt(address) * BigInt(sizes.itemsize_bits) / 8n;
    const place = Number(byte / BigInt(unit.bytes));
    assert.equal(unit.indexOf(address), unit.banks ? place % unit.banks : place, JSON.stringify([colour, sizes, address]));
  }
});

test('units begin where another one begins, banks where they are all used', () => {
  const sizes = { line_bytes: 64, page_bytes: 4096, itemsize_bits: 32 };
  const begins = (/** @type {string} */ colour) => Array.from({ length: 70 }, (_, at) => at).filter((at) => unitOf(colour, sizes)?.begins(at));
  assert.deepEqual(begins('@line'), [0, 16, 32, 48, 64]);
  assert.deepEqual(begins('@sector'), [0, 8, 16, 24, 32, 40, 48, 56, 64]);
  assert.deepEqual(begins('@page'), [0]);
  assert.deepEqual(begins('@bank'), [0, 32, 64]);
});

test('addresses of large tensors keep their unit', () => {
  const unit = unitOf('@line', { line_bytes: 64, page_bytes: 4096, itemsize_bits: 64 });
  const far = 2 ** 52 + 13;
  assert.equal(unit?.indexOf(far), Number((BigInt(far) * 64n) / 512n));
});

test('other colours follow no unit', () => {
  for (const colour of ['auto', 'C', 'line', 'constructor']) {
    assert.equal(unitOf(colour, { line_bytes: 64, page_bytes: 4096, itemsize_bits: 32 }), null);
  }
});
