import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planesInRow } from '../../../../static/core/grid/planes.js';

test('the planes of an image stand in one row where they fit, or in rows of about one length', () => {
  const rows = [1, 2, 3, 4, 5, 6].map((fit) => planesInRow({ planes: 5, block: 1, fit }));
  assert.deepEqual(rows, [1, 2, 3, 3, 5, 5]);
  assert.equal(planesInRow({ planes: 4, block: 1, fit: 3 }), 2);
});

test('a row has whole blocks, or half of one where no more fit', () => {
  const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((fit) => planesInRow({ planes: 8, block: 4, fit }));
  assert.deepEqual(rows, [1, 2, 2, 4, 4, 4, 4, 8]);
  assert.deepEqual([planesInRow({ planes: 7, block: 4, fit: 6 }), planesInRow({ planes: 5, block: 4, fit: 6 })], [4, 5]);
});
