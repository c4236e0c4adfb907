import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLogicalGrid } from '../../../../static/core/grid/logical.js';
import { planesInRow } from '../../../../static/core/grid/planes.js';
import { keptCell } from '../../../../static/core/grid/shown.js';
import { createViewport } from '../../../../static/core/grid/viewport.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';

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

test('where planes are arranged anew, the chosen cell stays in view, or what was in the middle', () => {
  const tensor = createTensor({
    shape: [2, 10, 3, 4], dims: 'NCHW', offset: 0, swizzle: null, buffer: { elements: 288 },
    digits: [[{ extent: 2, stride: 144 }], [{ extent: 3, stride: 48 }, { extent: 4, stride: 1 }], [{ extent: 3, stride: 16 }], [{ extent: 4, stride: 4 }]],
  });
  const [wide, high] = [6, 4].map((aspect) => createLogicalGrid(tensor, aspect));
  assert.deepEqual([wide.columns, wide.rows, high.columns, high.rows], [59, 7, 19, 23]);
  const { columns, rows } = wide;
  const view = createViewport({ width_css: 1112, height_css: 174, columns, rows, cell_css: 23, left_cells: 12 });
  assert.equal(keptCell(view, wide, wide, [1, 9, 2, 3]), null);
  assert.deepEqual(keptCell(view, wide, high, [1, 9, 2, 3]), high.cellOf([1, 9, 2, 3]));
  const middle = wide.nearestAt(36, 3);
  assert.deepEqual(keptCell(view, wide, high, [0, 0, 0, 0]), middle && high.cellOf(middle));
  assert.deepEqual(keptCell(view, wide, high, null), middle && high.cellOf(middle));
});
