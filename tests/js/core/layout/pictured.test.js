import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictured } from '../../../../static/core/layout/pictured.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';

const PLAIN = createTensor({
  shape: [2, 3], dims: ['H', 'W'], digits: [[{ extent: 2, stride: 3 }], [{ extent: 3, stride: 1 }]], offset: 0, swizzle: null, padded_shape: [2, 3], buffer: { elements: 6 },
});

test('a picture of memory says what lies at each address, and where each element lies', () => {
  const memory = [0, 3, null, 1, 4, null, 2, 5];
  const seen = pictured(PLAIN, memory);
  assert.equal(seen.bufferElements, 8);
  assert.deepEqual(memory.map((_, at) => seen.ownerOf(at).kind), ['element', 'element', 'gap', 'element', 'element', 'gap', 'element', 'element']);
  assert.deepEqual(seen.ownerOf(4).coords, [1, 1]);
  assert.equal(seen.ownerOf(8).kind, 'outside');
  for (const [address, number] of memory.entries()) {
    if (number !== null) assert.equal(seen.addressOf(PLAIN.coordsOf(number)), address);
  }
});
