import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOf } from '../../../../static/core/grid/window.js';
import { seeded } from '../../random-layouts.js';

test('a small range is shown whole, a large one around the cell or from its start', () => {
  const small = { firstColumn: 2, endColumn: 12, firstRow: 5, endRow: 15 };
  assert.deepEqual(windowOf(small, null, 100), small);
  const large = { firstColumn: 0, endColumn: 1000, firstRow: 0, endRow: 1000 };
  assert.deepEqual(windowOf(large, null, 100), { firstColumn: 0, endColumn: 10, firstRow: 0, endRow: 10 });
  assert.deepEqual(windowOf(large, { column: 500, row: 999 }, 100), { firstColumn: 495, endColumn: 505, firstRow: 990, endRow: 1000 });
  assert.deepEqual(windowOf(large, { column: 2000, row: 3 }, 100), { firstColumn: 0, endColumn: 10, firstRow: 0, endRow: 10 });
  assert.deepEqual(windowOf({ ...large, endRow: 2 }, null, 100), { firstColumn: 0, endColumn: 50, firstRow: 0, endRow: 2 });
});

test('the window lies in the range, holds the cell, and never has too many cells', () => {
  const random = seeded(5);
  for (let number = 0; number < 2000; number += 1) {
    const [firstColumn, firstRow, most] = [random(50), random(50), 1 + random(300)];
    const range = { firstColumn, endColumn: firstColumn + random(90) + random(2) / 2, firstRow, endRow: firstRow + random(90) };
    const cell = { column: random(140), row: random(140) };
    const shown = windowOf(range, cell, most);
    const [across, down] = [shown.endColumn - shown.firstColumn, shown.endRow - shown.firstRow];
    assert.ok(across * down <= most, JSON.stringify({ range, most, shown }));
    assert.ok(shown.firstColumn >= firstColumn && shown.endColumn <= Math.ceil(range.endColumn));
    assert.ok(shown.firstRow >= firstRow && shown.endRow <= range.endRow);
    const inside = cell.column >= firstColumn && cell.column < range.endColumn && cell.row >= firstRow && cell.row < range.endRow;
    const held = cell.column >= shown.firstColumn && cell.column < shown.endColumn && cell.row >= shown.firstRow && cell.row < shown.endRow;
    assert.equal(held, inside, JSON.stringify({ range, cell, most, shown }));
  }
});
