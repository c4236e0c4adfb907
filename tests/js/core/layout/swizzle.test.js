import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KIND_CODES } from '../../../../static/core/layout/kinds.js';
import { createRowDecoder, decodeRow } from '../../../../static/core/rows/decoder.js';
import { rowMajorWeights } from '../../../../static/core/shape.js';
import { checkSwizzle, maskOf, periodOf, swizzleOf } from '../../../../static/core/layout/swizzle.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { addressByDefinition, coordinatesOf, describe, seeded } from '../../random-layouts.js';

const KINDS = Object.keys(KIND_CODES);

test('a swizzle is its own inverse, keeps its periods and is exact up to 2^53', () => {
  const random = seeded(8);
  for (let number = 0; number < 2000; number += 1) {
    const bits = random(11);
    const shift = (bits + random(4)) * (random(2) === 0 ? -1 : 1);
    const swizzle = { bits, base: random(30 - bits - Math.abs(shift) + 1), shift };
    const swizzled = swizzleOf(swizzle);
    const address = random(2) === 0 ? random(2 ** 20) : random(2 ** 26) * 2 ** 27 + random(2 ** 27);
    const moved = swizzled(address);
    const text = `${address} under ${JSON.stringify(swizzle)}`;
    assert.equal(moved, addressByDefinition({ digits: [], offset: address, swizzle }, []), text);
    assert.equal(swizzled(moved), address, text);
    assert.equal(Math.floor(moved / periodOf(swizzle)), Math.floor(address / periodOf(swizzle)), text);
    const read = Number(BigInt(address) & BigInt(maskOf(swizzle)));
    assert.equal(moved !== address, read !== 0, text);
  }
});

test('what is no swizzle is refused', () => {
  for (const [bits, base, shift] of [[2, 0, 1], [-1, 0, 1], [1, -1, 1], [10, 10, 11], [1.5, 0, 2], [1, 0, NaN]]) {
    assert.throws(() => checkSwizzle({ bits, base, shift }), /does not know the swizzle/);
  }
  assert.equal(checkSwizzle(null), null);
  assert.deepEqual(checkSwizzle({ bits: 10, base: 10, shift: -10 }), { bits: 10, base: 10, shift: -10 });
});

test('rows of large swizzled layouts equal single questions, step by step and far apart', () => {
  const random = seeded(12);
  const met = new Set();
  for (let number = 0; number < 60; number += 1) {
    const bits = 1 + random(5);
    const swizzle = { bits, base: random(8), shift: (bits + random(6)) * (random(2) === 0 ? -1 : 1) };
    const width = 1 + random(3000);
    const block = 1 + random(40);
    const channels = Math.max(1, 6 * block - random(block));
    const spread = [1, 1, 7, 2 ** 30][random(4)];
    const digits = [
      [{ extent: 5, stride: width * block * 6 * spread }],
      [{ extent: 6, stride: width * block }, { extent: block, stride: 1 }],
      [{ extent: width, stride: block * (random(3) === 0 ? -1 : 1) }],
    ];
    const plain = describe([5, channels, width], digits, random(5000));
    // The last period of a swizzle is at most that far from the greatest plain address.
    const tensor = createTensor({ ...plain, swizzle, buffer: { elements: plain.buffer.elements + periodOf(swizzle) } });
    const decoder = createRowDecoder(tensor, [rowMajorWeights(tensor.shape)]);
    /** @param {number} address @param {number} kind @param {number} linear */
    const compare = (address, kind, linear) => {
      const owner = tensor.ownerOf(address);
      const text = `${address} of ${JSON.stringify({ shape: tensor.shape, digits, swizzle })}`;
      assert.equal(KINDS[kind], owner.kind, text);
      if (owner.count > 0) assert.equal(linear, tensor.linearOf(owner.coords ?? []), text);
      met.add(owner.kind);
    };
    for (let row = 0; row < 6; row += 1) {
      const coords = tensor.shape.map((extent) => random(extent));
      const start = [tensor.addressOf(coords) - random(200), tensor.bufferElements - 300, random(4096)][random(3)];
      const { kinds, linear } = decodeRow(decoder, start, 900);
      for (let at = 0; at < 900; at += 7) compare(start + at, kinds[at], linear[at]);
      for (let address = start; address < start + 900; address += 90) {
        const { start: first, end, kind, kinds: codes, tables, bases } = decoder.locate(address, 900, 90);
        assert.ok(first <= address && address < end, 'the segment holds the address');
        const entry = address - first;
        if (kind >= 0) compare(address, kind, NaN);
        else compare(address, codes[entry], bases[0] + tables[0][entry]);
      }
    }
  }
  assert.deepEqual([...met].sort(), ['element', 'gap', 'outside', 'padding']);
});

test('Swizzle<3,4,3> spreads a column of 16-byte vectors over all banks', () => {
  const digits = [[{ extent: 8, stride: 128 }], [{ extent: 128, stride: 1 }]];
  const tensor = createTensor({ ...describe([8, 128], digits, 0), swizzle: { bits: 3, base: 4, shift: 3 } });
  const groups = [0, 1, 2, 3, 4, 5, 6, 7].map((row) => Math.floor(tensor.addressOf([row, 0]) / 16) % 8);
  assert.deepEqual(groups, [0, 1, 2, 3, 4, 5, 6, 7]);
  const addresses = [...coordinatesOf([8, 128])].map((coords) => tensor.addressOf(coords));
  assert.equal(new Set(addresses).size, 1024);
});
