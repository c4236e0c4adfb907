import assert from 'node:assert/strict';
import test from 'node:test';
import { fileOfSample, sampleOfFile } from '../../../static/state/file-sample.js';
import { formatState, parseState } from '../../../static/state/permalink.js';

for (const name of ['cat.npy', '猫.npy', 'a&b=c#.png', 'x'.repeat(200), '𝄞'.repeat(60), 'half\ud800.npy']) {
  test(`${name.slice(0, 12)}: the link names the file, and reads back what it names`, () => {
    const sample = sampleOfFile(name);
    const state = { ...parseState('shape=2&layout=W'), sample };
    assert.equal(parseState(formatState(state)).sample, sample);
    assert.ok(fileOfSample(sample)?.startsWith(name.slice(0, 4).replace(/\ud800$/, '')));
  });
}

test('a built-in sample is no file', () => assert.equal(fileOfSample('discs'), null));
