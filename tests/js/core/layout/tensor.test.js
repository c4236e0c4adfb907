import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KIND_CODES } from '../../../../static/core/layout/kinds.js';
import { createRowDecoder, decodeRow } from '../../../../static/core/rows/decoder.js';
import { rowMajorWeights } from '../../../../static/core/shape.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import {
  addressByDefinition, coordinatesOf, describe, fewer, ownersByEnumeration, randomLayout, seeded, swizzledLayout,
} from '../../random-layouts.js';

const LAYOUTS = fewer(3000);
const KINDS = Object.keys(KIND_CODES);

test('addresses, owners and rows of random layouts equal their enumeration', () => {
  const random = seeded(20240607);
  const met = new Set();
  for (let number = 0; number < LAYOUTS; number += 1) {
    const plain = randomLayout(random);
    const layout = number % 2 === 0 ? plain : swizzledLayout(random, plain);
    const tensor = createTensor(layout);
    const text = JSON.stringify(layout);
    for (const coords of coordinatesOf(layout.shape)) {
      assert.equal(tensor.addressOf(coords), addressByDefinition(layout, coords), text);
    }
    const owners = ownersByEnumeration(layout);
    const decoder = createRowDecoder(tensor, [rowMajorWeights(tensor.shape)]);
    const { kinds, linear } = decodeRow(decoder, -2, owners.length + 4);
    owners.forEach((owner, address) => {
      assert.deepEqual({ ...tensor.ownerOf(address) }, owner, `address ${address} of ${text}`);
      assert.equal(KINDS[kinds[address + 2]], owner.kind, `row at ${address} of ${text}`);
      if (owner.count > 0) {
        assert.equal(linear[address + 2], tensor.linearOf(owner.coords ?? []), `row at ${address} of ${text}`);
      }
      met.add(`${owner.kind} ${tensor.nested ? 'nested' : 'interleaved'}${layout.swizzle ? ' swizzled' : ''}`);
    });
    for (const address of [-1, owners.length]) assert.equal(tensor.ownerOf(address).kind, 'outside');
    assert.deepEqual([kinds[0], kinds[1], ...kinds.subarray(owners.length + 2)], [4, 4, 4, 4], text);
  }
  const wanted = ['element', 'shared', 'padding', 'gap'].flatMap((kind) =>
    ['nested', 'interleaved', 'nested swizzled', 'interleaved swizzled'].map((kept) => `${kind} ${kept}`),
  );
  assert.deepEqual([...met].sort(), wanted.sort());
});

test('the search without a table finds the owners that the table finds', () => {
  const random = seeded(7);
  let compared = 0;
  for (let number = 0; number < 6000 && compared < 400; number += 1) {
    const small = randomLayout(random);
    if (createTensor(small).nested || small.shape.includes(0)) continue;
    compared += 1;
    // A broadcast dimension in front of everything makes the tensor too large for a table and
    // multiplies every count.
    const many = 2 ** 21;
    const layout = {
      ...small,
      shape: [many, ...small.shape],
      dims: `z${small.dims}`,
      digits: [[{ extent: many, stride: 0 }], ...small.digits],
    };
    const tensor = createTensor(layout);
    const text = JSON.stringify(layout);
    ownersByEnumeration(small).forEach((owner, address) => {
      const expected = {
        kind: owner.kind === 'element' ? 'shared' : owner.kind,
        coords: owner.coords === null ? null : [0, ...owner.coords],
        count: owner.count * many,
      };
      assert.deepEqual({ ...tensor.ownerOf(address) }, expected, `${address} of ${text}`);
    });
  }
  assert.equal(compared, 400);
});

test('a search that exceeds its budget says so', () => {
  const layout = describe([2000, 2000, 2000], [3, 5, 7].map((stride) => [{ extent: 2000, stride }]), 0);
  const tensor = createTensor(layout);
  assert.equal(tensor.ownerOf(15_000, 50).kind, 'undetermined');
  assert.ok(tensor.ownerOf(15_000, 50).count > 1, 'what was found until then');
  const { kinds } = decodeRow(createRowDecoder(tensor, [[1, 0, 0]]), 15_000, 2000);
  assert.deepEqual(new Set(kinds), new Set([KIND_CODES.shared]), 'several owners are known to share');
  assert.equal(tensor.ownerOf(8, 50).kind, 'element');
  assert.equal(tensor.ownerOf(15, 50).kind, 'shared');
});

test('linear indices and coordinates invert each other far out', () => {
  const shape = [1000, 1000, 1000, 1000];
  const strides = [10 ** 9, 1, 10 ** 6, 10 ** 3];
  const tensor = createTensor(describe(shape, strides.map((stride, dim) => [{ extent: shape[dim], stride }]), 0));
  const random = seeded(3);
  for (let number = 0; number < 500; number += 1) {
    const coords = shape.map((extent) => random(extent));
    assert.deepEqual(tensor.coordsOf(tensor.linearOf(coords)), coords);
    const address = tensor.addressOf(coords);
    assert.deepEqual(tensor.ownerOf(address), { kind: 'element', coords, count: 1 });
  }
});

test('rows of large nested layouts equal single questions', () => {
  const random = seeded(11);
  for (let number = 0; number < 60; number += 1) {
    // Inner extents around and beyond the table's size, blocked and ragged.
    const width = 1 + random(90_000);
    const block = 1 + random(40);
    const blocks = 1 + random(300);
    const channels = Math.max(1, blocks * block - random(block));
    const pitch = width * block + random(3) * 17;
    const flip = random(3) === 0 ? -1 : 1;
    const digits = [
      [{ extent: 1000, stride: pitch * blocks * flip }],
      [{ extent: blocks, stride: pitch }, { extent: block, stride: 1 }],
      [{ extent: width, stride: block * (random(3) === 0 ? -1 : 1) }],
    ];
    const tensor = createTensor(describe([1000, channels, width], digits, 0));
    const decoder = createRowDecoder(tensor, [rowMajorWeights(tensor.shape)]);
    for (let row = 0; row < 6; row += 1) {
      const start = random(2 ** 20) * Math.max(1, Math.floor(tensor.bufferElements / 2 ** 20)) + random(50) - 20;
      const { kinds, linear } = decodeRow(decoder, start, 900);
      for (let at = 0; at < 900; at += 7) {
        const owner = tensor.ownerOf(start + at);
        const text = `${start + at} of ${JSON.stringify({ shape: tensor.shape, digits })}`;
        assert.equal(KINDS[kinds[at]], owner.kind, text);
        if (owner.count > 0) assert.equal(linear[at], tensor.linearOf(owner.coords ?? []), text);
      }
    }
  }
});

test('what the drawing cannot hold is refused with its reason', () => {
  const plain = describe([2], [[{ extent: 2, stride: 1 }]], 0);
  const beyond = /drawing needs addresses below 2\^53/;
  assert.throws(() => createTensor({ ...plain, offset: '9007199254740993' }), beyond);
  assert.throws(() => createTensor({ ...plain, buffer: { elements: 2 ** 60 } }), beyond);
  const broad = [2 ** 30, 2 ** 30].map((extent) => [{ extent, stride: 0 }]);
  assert.throws(() => createTensor(describe([2 ** 30, 2 ** 30], broad, 0)), beyond);
  assert.equal(createTensor({ ...plain, offset: '3', buffer: { elements: '5' } }).addressOf([1]), 4);
});
