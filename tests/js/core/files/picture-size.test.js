import assert from 'node:assert/strict';
import test from 'node:test';
import { pictureSize } from '../../../../static/core/files/picture-size.js';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];

test('a PNG tells its size in the first chunk', () => {
  assert.deepEqual(pictureSize(Uint8Array.from([...PNG, 0, 1, 0, 0, 0, 0, 0, 7])), { width: 65536, height: 7 });
});

test('a JPEG tells it in the frame header, after other segments', () => {
  const app0 = [0xff, 0xe0, 0, 4, 1, 2];
  const frame = [0xff, 0xc2, 0, 11, 8, 0x02, 0x01, 0x03, 0x00, 1, 1, 0x11, 0];
  assert.deepEqual(pictureSize(Uint8Array.from([0xff, 0xd8, ...app0, ...frame])), { width: 768, height: 513 });
});

test('anything else tells nothing', () => {
  for (const bytes of [[], [1, 2, 3], PNG, [0xff, 0xd8], [0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], new Array(64).fill(0x41)]) {
    assert.equal(pictureSize(Uint8Array.from(bytes)), null);
  }
});
