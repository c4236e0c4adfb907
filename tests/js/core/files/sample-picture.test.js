import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePicture } from '../../../../static/core/files/sample-picture.js';

for (const [width, height] of [[64, 48], [160, 120]]) {
  test(`the sample at ${width} x ${height} is opaque, and its channels are easy to tell apart`, () => {
    const { data } = samplePicture(width, height);
    assert.equal(data.length, 4 * width * height);
    /** @param {number} across of the width @param {number} down of the height */
    const at = (across, down) => {
      const from = 4 * (Math.floor(down * height) * width + Math.floor(across * width));
      return [...data.subarray(from, from + 4)];
    };
    const [red, yellow, blue, grass] = [at(0.266, 0.36), at(0.21, 0.36), at(0.345, 0.36), at(0.2, 0.97)];
    assert.ok(red[0] > 150 && red[1] < 90 && red[2] < 90, `red ${red}`);
    assert.ok(yellow[0] > 180 && yellow[1] > 140 && yellow[2] < 110, `yellow ${yellow}`);
    assert.ok(blue[2] > 150 && blue[0] < 90, `blue ${blue}`);
    assert.ok(grass[1] > 110 && grass[0] < 110 && grass[2] < 90, `grass ${grass}`);
    assert.ok(data.every((byte, place) => place % 4 !== 3 || byte === 255));
  });
}
