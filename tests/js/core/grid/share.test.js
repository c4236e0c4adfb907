import assert from 'node:assert/strict';
import test from 'node:test';
import { fairShare } from '../../../../static/core/grid/share.js';

const MOST_CSS = 64;

/** @param {number} rows @param {number} width_css of a cell where the width is what limits it */
const grid = (rows, width_css) => (/** @type {number} */ height_css) => Math.min(width_css, height_css / rows);

test('a grid that its width limits leaves the height to the other', () => {
  const share = fairShare(800, grid(10, 1000), grid(8, 40), MOST_CSS);
  assert.ok(share > 0.55 && share <= 0.62, String(share));
  assert.ok(fairShare(800, grid(8, 40), grid(10, 1000), MOST_CSS) <= 0.42);
});

test('grids that need the same get about the same', () => {
  const share = fairShare(800, grid(20, 1000), grid(20, 1000), MOST_CSS);
  assert.ok(Math.abs(share - 0.5) <= 0.05, String(share));
});

test('where nothing is gained nothing moves: small tensors, and textures alike', () => {
  assert.equal(fairShare(800, grid(2, 1000), grid(2, 1000), MOST_CSS), 0.45);
  assert.equal(fairShare(800, grid(1e6, 1000), grid(1e6, 1000), MOST_CSS), 0.45);
});

test('neither grid is squeezed out', () => {
  for (const [upper, lower] of [[1, 1000], [1000, 1], [1, 1], [50, 70]]) {
    const share = fairShare(800, grid(upper, 1000), grid(lower, 1000), MOST_CSS);
    assert.ok(share >= 0.3 && share <= 0.62, String(share));
  }
});
