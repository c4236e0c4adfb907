import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureDims, planarFromRgba } from '../../../../static/core/files/picture.js';

test('pixels become planes, laid over white where they are transparent', () => {
  const data = Uint8ClampedArray.of(1, 2, 3, 255, 10, 20, 30, 255, 0, 0, 0, 0, 0, 100, 255, 51);
  const { shape, values, dtype } = planarFromRgba({ width: 2, height: 2, data });
  assert.deepEqual([shape, dtype], [[1, 3, 2, 2], 'uint8']);
  assert.deepEqual([...values], [1, 10, 255, 204, 2, 20, 255, 224, 3, 30, 255, 255]);
});

test('a picture without all of its bytes is refused', () => {
  const image = { width: 2, height: 2, data: new Uint8ClampedArray(15) };
  assert.throws(() => planarFromRgba(image), /2 x 2 pixels need 16 bytes, not 15/);
});

test('bytes with three or four channels first or last look like a picture', () => {
  const shapes = [[24, 32, 3], [24, 32, 4], [3, 24, 32], [4, 24, 32], [2, 24, 32, 3], [2, 3, 24, 32], [24, 32], [5, 4, 3], [24, 32, 5]];
  const found = shapes.map((shape) => pictureDims(shape, 'uint8'));
  assert.deepEqual(found, ['HWC', 'HWC', 'CHW', 'CHW', 'NHWC', 'NCHW', null, null, null]);
  assert.equal(pictureDims([24, 32, 3], 'float32'), null);
});
