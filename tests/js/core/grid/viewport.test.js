import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogicalGrid } from '../../../../static/core/grid/logical.js';
import { readPlanes, showPlane } from '../../../../static/core/grid/shown.js';
import { cellAt, centre, createViewport, fit, opening, panBy, rectOf, reveal, showsBoth, showsCell, visibleRange } from '../../../../static/core/grid/viewport.js';
import { fontSizeFor, SMALLEST_FONT_CSS, textColumn } from '../../../../static/core/grid/zoom.js';
import { zoomAbout, zoomAboutCell, zoomAt } from '../../../../static/core/grid/zooming.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { describe, seeded } from '../../random-layouts.js';

/** @param {(below: number) => number} random */
function randomViewport(random) {
  return createViewport({
    width_css: 200 + random(1500),
    height_css: 100 + random(900),
    label_left_css: random(60),
    label_top_css: random(30),
    columns: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    rows: 1 + random([4, 100, 10_000, 1e9][random(4)]),
    cell_css: 2 ** (random(20) - 12),
    left_cells: random(1e6),
    top_cells: random(1e6),
  });
}

test('every reachable state shows some of the grid and lies within it', () => {
  const random = seeded(1);
  for (let number = 0; number < 2000; number += 1) {
    let viewport = randomViewport(random);
    for (let move = 0; move < 4; move += 1) {
      if (random(2) === 0) viewport = zoomAt(viewport, 2 ** (random(9) - 4), random(900), random(600));
      else viewport = panBy(viewport, random(3000) - 1500, random(3000) - 1500);
      const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
      const text = JSON.stringify(viewport);
      assert.ok(0 <= firstColumn && firstColumn < endColumn && endColumn <= viewport.columns, text);
      assert.ok(0 <= firstRow && firstRow < endRow && endRow <= viewport.rows, text);
      assert.ok(viewport.cell_css > 0 && viewport.cell_css <= 128, text);
      assert.ok(Object.isFrozen(viewport));
    }
  }
});

test('the cell under a point is the one drawn there', () => {
  const random = seeded(2);
  let hits = 0;
  for (let number = 0; number < 3000; number += 1) {
    const viewport = randomViewport(random);
    const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
    const cell = { column: firstColumn + random(endColumn - firstColumn), row: firstRow + random(endRow - firstRow) };
    const { x_css, y_css, size_css } = rectOf(viewport, cell);
    const [x, y] = [x_css + size_css / 2, y_css + size_css / 2];
    if (x < viewport.inset_left_css || y < viewport.inset_top_css) {
      assert.equal(cellAt(viewport, x, y), null, 'labels are no cells');
    } else if (x < viewport.width_css && y < viewport.height_css) {
      assert.deepEqual(cellAt(viewport, x, y), cell);
      hits += 1;
    }
  }
  assert.ok(hits > 1000);
});

test('zooming keeps the point under the pointer, panning moves it with the pointer', () => {
  const start = createViewport({
    width_css: 1000, height_css: 600, columns: 1e6, rows: 1e6, label_left_css: 50, label_top_css: 20,
    cell_css: 10, left_cells: 5000, top_cells: 777_000,
  });
  for (const factor of [0.1, 0.7, 1.3, 5]) {
    const zoomed = zoomAt(start, factor, 333, 222);
    assert.ok(Math.abs(zoomed.cell_css - 10 * factor) < 1e-9);
    const before = { x: start.left_cells + 283 / 10, y: start.top_cells + 202 / 10 };
    assert.ok(Math.abs(zoomed.left_cells + 283 / zoomed.cell_css - before.x) < 1e-6);
    assert.ok(Math.abs(zoomed.top_cells + 202 / zoomed.cell_css - before.y) < 1e-6);
  }
  const panned = panBy(start, 40, -70);
  assert.deepEqual([panned.left_cells, panned.top_cells], [4996, 777_007]);
});

test('zooming keeps the cell under the pointer while the grid is narrower than its window, and back', () => {
  const random = seeded(6);
  let returned = 0;
  let moved = 0;
  for (let number = 0; number < 500; number += 1) {
    const start = createViewport({
      width_css: 1000, height_css: 400, columns: 3 + random(80), rows: 3 + random(40), label_left_css: 40, label_top_css: 20,
      cell_css: 8,
    });
    const cell = { column: random(start.columns), row: random(start.rows) };
    const { x_css, y_css, size_css } = rectOf(start, cell);
    const [x, y] = [x_css + (size_css * (1 + random(98))) / 100, y_css + (size_css * (1 + random(98))) / 100];
    const steps = [start];
    for (let step = 0; step < 5; step += 1) {
      const zoomed = zoomAt(steps[step], 1.15, x, y);
      steps.push(zoomed);
      const [met, was] = [cellAt(zoomed, x, y), cellAt(steps[step], x, y)];
      // A grid that grows beyond its window fills it first: then a cell before the middle moves.
      const ends = { column: zoomed.inset_left_css + zoomed.columns * zoomed.cell_css, row: zoomed.inset_top_css + zoomed.rows * zoomed.cell_css };
      if (ends.column < 993) assert.equal(met?.column, was?.column);
      if (ends.row < 393) assert.equal(met?.row, was?.row);
      if (met?.column !== was?.column) moved += 1;
    }
    // Zooming out leaves no empty room that was not there: from a grid that fills its window, none.
    const { columns, rows, cell_css } = steps[5];
    if (columns * cell_css > 950 || rows * cell_css > 370) continue;
    returned += 1;
    let back = steps[5];
    for (const before of steps.slice(0, 5).reverse()) {
      back = zoomAt(back, 1 / 1.15, x, y);
      for (const key of /** @type {const} */ (['cell_css', 'left_cells', 'top_cells'])) {
        assert.ok(Math.abs(back[key] - before[key]) < 1e-9, key);
      }
    }
  }
  assert.ok(returned > 100, String(returned));
  assert.ok(moved < 250, String(moved));
});

test('what a zoom pushed out of a small grid a drag brings back, never further out', () => {
  const small = fit(createViewport({ width_css: 1000, height_css: 400, columns: 10, rows: 3 }));
  const pushed = zoomAt(small, 1.2, 850, 150);
  assert.ok(pushed.left_cells > 0 && pushed.columns * pushed.cell_css < 1000);
  assert.equal(panBy(pushed, -300, 0).left_cells, pushed.left_cells);
  assert.equal(panBy(pushed, 300, 0).left_cells, 0);
  assert.equal(panBy(small, -300, 0).left_cells, 0);
  assert.ok(zoomAt(pushed, 0.9, 1, 1).left_cells <= pushed.left_cells, 'zooming out shows no more empty room');
  assert.equal(zoomAt(small, 1.2, 950, 150).left_cells, 0, 'no cell there to be kept');
  const about = zoomAbout(small, 1.2);
  assert.deepEqual([about.left_cells, about.inset_left_css], [0, 17], 'a button keeps a small grid in the middle');
});

test('fit shows the whole grid, reveal shows the cell and does not move without need', () => {
  const start = createViewport({ width_css: 800, height_css: 400, columns: 300, rows: 5000, cell_css: 20 });
  const whole = visibleRange(fit(start));
  assert.deepEqual(whole, { firstColumn: 0, endColumn: 300, firstRow: 0, endRow: 5000 });
  const cell = { column: 299, row: 4321 };
  const shown = reveal(start, cell);
  const { x_css, y_css } = rectOf(shown, cell);
  assert.ok(x_css >= 6 && x_css + 20 <= 794 && y_css >= 6 && y_css + 20 <= 394, 'with room for its frame');
  assert.deepEqual(reveal(shown, { column: 298, row: 4320 }), shown);
});

test('a view opens on text, on the whole, on the width or on a cell per pixel', () => {
  const window = { width_css: 1000, height_css: 400 };
  const cells = (/** @type {number} */ columns, /** @type {number} */ rows) =>
    opening(createViewport({ ...window, columns, rows })).cell_css;
  assert.equal(cells(6, 2), 80, 'small: reading size');
  assert.ok(cells(36, 32) > 27, 'medium: readable, though not all of it');
  assert.equal(cells(320, 720), 394 / 720, 'a picture: all of it');
  assert.ok(cells(12800, 4097) < 0.1, 'three planes of a large picture: all of them');
  assert.equal(cells(100, 3000), 9.94, 'a sliver: its width');
  assert.equal(cells(4000, 3), 8, 'a long thin one: its height');
  assert.equal(cells(1000, 1e9), 1, 'huge: a cell per pixel');
});

test('fit shows every column and row with a margin, whatever the shape of the grid and of the window', () => {
  const random = seeded(12);
  for (let number = 0; number < 3000; number += 1) {
    const whole = fit(randomViewport(random));
    const { columns, rows, width_css, height_css, inset_left_css, inset_top_css, column_css, row_css } = whole;
    const text = JSON.stringify(whole);
    assert.deepEqual([whole.left_cells, whole.top_cells], [0, 0], text);
    assert.ok(inset_left_css + columns * column_css <= width_css - 2, text);
    assert.ok(inset_top_css + rows * row_css <= height_css - 2, text);
    assert.ok(columns * column_css >= Math.min(5 * columns, 24) - 1e-9 && rows * row_css >= Math.min(5 * rows, 24) - 1e-9, text);
  }
});

test('a long thin grid is stretched until its cells are large, and points find their cells', () => {
  const whole = fit(createViewport({ width_css: 1000, height_css: 400, columns: 1e6, rows: 2, label_left_css: 40, label_top_css: 20 }));
  assert.ok(whole.row_css === 5 && whole.column_css === whole.cell_css && whole.cell_css < 0.001);
  const top_css = 20 + Math.floor((400 - 20 - 10 - 6) / 2);
  assert.equal(whole.inset_top_css, top_css, 'in the middle of its window');
  assert.deepEqual(cellAt(whole, 40.5, top_css + 7)?.row, 1);
  assert.equal(cellAt(whole, 40.5, top_css + 11), null);
  const { y_css } = rectOf(whole, { column: 0, row: 1 });
  assert.ok(Math.abs(y_css + whole.cell_css / 2 - top_css - 7.5) < 1e-9, 'in the middle of its row');
  const near = zoomAt(whole, 1e4, 500, top_css + 6);
  assert.ok(near.row_css === near.cell_css && near.cell_css > 5);
  assert.deepEqual(cellAt(near, 500, top_css + 6), cellAt(whole, 500, top_css + 6));
});

test('a cell comes into the middle, large enough to read, as far as the grid reaches', () => {
  const random = seeded(5);
  for (let number = 0; number < 1000; number += 1) {
    const start = randomViewport(random);
    const cell = { column: random(start.columns), row: random(start.rows) };
    const view = centre(start, cell, 30);
    assert.ok(view.cell_css >= 30 && view.cell_css >= start.cell_css);
    const { x_css, y_css, size_css } = rectOf(view, cell);
    /** @param {'columns' | 'rows'} axis */
    const check = (axis) => {
      const [at_css, from_css, to_css, first] = axis === 'columns'
        ? [x_css, view.inset_left_css, view.width_css, view.left_cells]
        : [y_css, view.inset_top_css, view.height_css, view.top_cells];
      const off_css = at_css + size_css / 2 - (from_css + to_css) / 2;
      const last = first + (to_css - from_css) / view.cell_css >= view[axis] - 1e-6;
      assert.ok(Math.abs(off_css) < 0.01 || (off_css < 0 ? first === 0 : last), JSON.stringify({ view, cell }));
    };
    check('columns');
    check('rows');
  }
});

test('two cells fit into a window or do not', () => {
  const view = createViewport({ width_css: 200, height_css: 100, columns: 100, rows: 100, cell_css: 20 });
  assert.equal(showsBoth(view, { column: 3, row: 7 }, { column: 12, row: 3 }), true);
  assert.equal(showsBoth(view, { column: 3, row: 7 }, { column: 13, row: 3 }), false);
  assert.equal(showsBoth(view, { column: 3, row: 7 }, { column: 4, row: 2 }), false);
});

test('addresses far out stay exact', () => {
  const viewport = createViewport({
    width_css: 900, height_css: 600, columns: 1000, rows: 1e9, cell_css: 20, top_cells: 987_654_321.25,
  });
  assert.deepEqual(cellAt(viewport, 10, 10), { column: 0, row: 987_654_321 });
  assert.equal(rectOf(viewport, { column: 0, row: 987_654_322 }).y_css, 15);
});

test('zooming about a cell keeps it in the window, and in its place where the grid goes on', () => {
  const random = seeded(23);
  let kept = 0;
  for (let number = 0; number < 2000; number += 1) {
    const viewport = createViewport({ width_css: 900, height_css: 300, columns: 400, rows: 900, cell_css: 8 + random(40), left_cells: random(400), top_cells: random(900) });
    const cell = { column: Math.ceil(viewport.left_cells) + random(8), row: Math.ceil(viewport.top_cells) + random(3) };
    if (!showsCell(viewport, cell)) continue;
    const zoomed = zoomAboutCell(viewport, [1.6, 0.7, 1.2, 3][random(4)], cell);
    assert.ok(showsCell(zoomed, cell), JSON.stringify([viewport, cell]));
    const [before, after] = [viewport, zoomed].map((view) => rectOf(view, cell));
    const middle = (/** @type {{x_css: number, size_css: number}} */ { x_css, size_css }) => x_css + size_css / 2;
    if (Math.abs(middle(before) - middle(after)) < 0.01) kept += 1;
  }
  assert.ok(kept > 500, `${kept}`);
});

test('a grid lies in the middle of its window, and its cells are as wide as there is room for', () => {
  const window = { width_css: 1000, height_css: 300, label_left_css: 30, label_top_css: 20 };
  const square = fit(createViewport({ ...window, columns: 20, rows: 8 }));
  assert.equal(square.column_css, square.row_css);
  assert.ok(Math.abs(square.inset_left_css - 30 - (1000 - 6 - square.inset_left_css - 20 * square.column_css)) <= 1);
  const wide = fit(createViewport({ ...window, columns: 20, rows: 8, most_wide: 1.9 }));
  assert.deepEqual([wide.cell_css, wide.column_css], [square.cell_css, (1000 - 30 - 6) / 20]);
  const { x_css, wide_css, size_css } = rectOf(wide, { column: 1, row: 0 });
  assert.deepEqual([x_css, wide_css, size_css], [30 + wide.column_css, wide.column_css, wide.cell_css]);
  const few = fit(createViewport({ ...window, columns: 3, rows: 8, most_wide: 1.9 }));
  assert.equal(few.column_css, 1.9 * few.cell_css);
  const picture = fit(createViewport({ ...window, columns: 60, rows: 40, most_wide: 1.9 }));
  assert.equal(picture.column_css, picture.row_css, 'what is too small to read keeps its shape');
});

test('widened cells that grow to be read stay in the window across', () => {
  const window = { width_css: 952, height_css: 212, label_left_css: 32, label_top_css: 34, columns: 23, rows: 9, most_wide: 1.9 };
  const whole = createViewport(window);
  assert.ok(whole.column_css > whole.cell_css);
  const view = opening(whole);
  assert.equal(view.cell_css, 28);
  assert.ok(view.column_css > 28 && view.column_css * 23 <= 952 - 32, String(view.column_css));
  assert.deepEqual(fit(view), whole);
});

test('a grid whose cells just hold their numbers opens whole: six planes of 4 by 5 on a phone', () => {
  const { top_cells, row_css, rows, inset_top_css, cell_css } = opening(createViewport({
    width_css: 382, height_css: 219, columns: 17, rows: 9, label_left_css: 18, label_top_css: 34, most_wide: 1.9,
  }));
  assert.equal(top_cells, 0);
  assert.ok(inset_top_css + rows * row_css <= 219 - 6, 'the last row is clear of the edge');
  assert.ok(cell_css * 0.56 >= 11, 'and the numbers can be read');
});

test('planes beside those that padding takes open with their numbers on a phone', () => {
  const tensor = createTensor(describe([1, 6, 4, 5], [[[1, 160]], [[2, 80], [4, 1]], [[4, 20]], [[5, 4]]].map((list) => list.map(([extent, stride]) => ({ extent, stride }))), 0));
  const grid = createLogicalGrid(tensor);
  const { columns, rows } = grid;
  assert.deepEqual([columns, rows, grid.slots], [23, 9, 8], 'two blocks of four');
  const view = readPlanes(createViewport({ width_css: 382, height_css: 236, columns, rows, label_left_css: 18, label_top_css: 34, most_wide: 1.9 }), { column: 14, row: 1 }, textColumn(3), grid, true);
  assert.ok(view && fontSizeFor(view.cell_css, 3, view.column_css) >= SMALLEST_FONT_CSS);
  assert.equal(view.left_cells, 0);
});

test('planes open in a narrow window so that their numbers can be read, from the beginning of one', () => {
  const planes = { planeColumns: 5, planeRows: 4, pitchColumns: 6, pitchRows: 5 };
  const whole = createViewport({ width_css: 382, height_css: 219, columns: 23, rows: 9, label_left_css: 18, label_top_css: 34, most_wide: 1.9 });
  const text_css = textColumn(3);
  assert.ok(whole.cell_css < text_css, 'numbers of the whole would touch');
  /** @param {{column: number, row: number} | null} cell */
  const read = (cell, wished = false) => {
    const view = readPlanes(whole, cell, text_css, planes, wished);
    assert.ok(view);
    return view;
  };
  assert.equal(read({ column: 14, row: 1 }).left_cells, 0, 'in view from the beginning');
  assert.equal(read({ column: 16, row: 1 }).left_cells, 0, 'the last column of the third plane too');
  const view = read({ column: 20, row: 1 });
  assert.ok(view.column_css < text_css, 'a little narrower, so that the third plane is not cut');
  assert.ok(fontSizeFor(view.cell_css, 3, view.column_css) >= SMALLEST_FONT_CSS);
  assert.deepEqual([view.left_cells, view.top_cells], [6, 0], 'the second plane is the first that lets the fourth be whole');
  assert.equal(read(null).left_cells, 0);
  const moved = showPlane(view, { column: 8, row: 0 }, planes);
  assert.equal(moved?.left_cells, 6, 'what is in view stays where it is');
  assert.equal(showPlane(view, { column: 5, row: 0 }, planes)?.left_cells, 0);
  assert.equal(read({ column: 18, row: 8 }).left_cells, 6);
  const few = createViewport({ ...whole, cell_css: undefined, columns: 26, rows: 8 });
  const last = readPlanes(few, { column: 25, row: 7 }, text_css, { planeColumns: 8, planeRows: 8, pitchColumns: 9, pitchRows: 9 }, false);
  const empty_css = last && last.left_cells * last.column_css + few.width_css - last.inset_left_css - few.columns * last.column_css;
  assert.ok(empty_css !== null && Math.abs(empty_css - 6) < 1e-6, 'no empty space but the margin after the end');
  const large = createViewport({ ...whole, cell_css: undefined, columns: 98, rows: 32 });
  const sizes = { planeColumns: 32, planeRows: 32, pitchColumns: 33, pitchRows: 33 };
  assert.equal(readPlanes(large, null, text_css, sizes, true), null, 'no plane fits');
  const many = createViewport({ ...whole, cell_css: undefined, columns: 63, rows: 47 });
  assert.equal(readPlanes(many, null, text_css, { planeColumns: 3, planeRows: 2, pitchColumns: 4, pitchRows: 3 }, false), null, 'the whole says more');
  assert.ok(readPlanes(many, { column: 60, row: 45 }, text_css, { planeColumns: 3, planeRows: 2, pitchColumns: 4, pitchRows: 3 }, true));
});

test('a memory that does not fit a narrow window opens with low rows', () => {
  const whole = createViewport({ width_css: 382, height_css: 236, columns: 12, rows: 14, label_left_css: 31, label_top_css: 20, most_wide: 1.9 });
  const view = opening(whole, true);
  assert.ok(fontSizeFor(view.cell_css, 3, view.column_css) >= SMALLEST_FONT_CSS);
  assert.ok(view.cell_css < 20 && view.column_css > 28 && view.column_css * 12 <= 382 - 31);
});
