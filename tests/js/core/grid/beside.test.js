import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opensOnBlock } from '../../../../static/core/grid/blocks.js';
import { sizeBeside } from '../../../../static/core/grid/memory.js';
import { closeUp, fromPlane } from '../../../../static/core/grid/shown.js';
import { changeViewport, createViewport, fit, showsCell } from '../../../../static/core/grid/viewport.js';
import { fontSizeFor, SMALLEST_FONT_CSS, textColumn, zoomStepOf } from '../../../../static/core/grid/zoom.js';
import { atPlaceOf, besideLead, distanceOf, moved } from '../../../../static/core/grid/zooming.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { describe } from '../../random-layouts.js';

const WINDOW = { width_css: 1000, height_css: 220, label_left_css: 40, label_top_css: 20, most_wide: 1.9 };
const a = createViewport({ ...WINDOW, columns: 72, rows: 160 });
const b = createViewport({ ...WINDOW, columns: 64, rows: 180 });

test('rows of another length open as they would alone, are whole beside a whole, and show the same addresses', () => {
  assert.equal(besideLead(b, a, null), b);
  assert.deepEqual(besideLead(changeViewport(b, { cell_css: 30, top_cells: 9 }), a, 'fit'), fit(b));
  const lead = changeViewport(a, { cell_css: 30, left_cells: 5, top_cells: 16 });
  const same = besideLead(b, lead, { cell_css: 30, left_cells: 5, top_cells: 16 });
  assert.equal(same.cell_css, 30);
  assert.equal(same.left_cells, 5);
  assert.equal(same.top_cells * 64, 16 * 72, 'the first row begins with the same address');
  assert.deepEqual(atPlaceOf(lead, same), lead, 'and back');
  const away = moved(same, { left_cells: 2, top_cells: 3 });
  assert.deepEqual(distanceOf(away, same), { left_cells: 2, top_cells: 3 });
});

test('rows of one length have one size and one place', () => {
  const size = { columns: 64, rows: 3, label_left_css: 30 };
  assert.deepEqual(sizeBeside(size, { columns: 64, rows: 5, label_left_css: 20 }), { columns: 64, rows: 5, label_left_css: 30 });
  assert.deepEqual(sizeBeside(size, { columns: 72, rows: 5, label_left_css: 44 }), { columns: 64, rows: 3, label_left_css: 44 });
  const lead = changeViewport(b, { cell_css: 30, left_cells: 5, top_cells: 16 });
  assert.deepEqual(besideLead(b, lead, null), besideLead(b, lead, 'fit'));
  assert.equal(besideLead(b, lead, null).top_cells, 16);
});

test('a large tensor in blocks opens on one of them, in cells as wide as their text', () => {
  /** @param {number} outer blocks of 16 channels @param {boolean} blocked */
  const tensor = (outer, blocked) => {
    const channels = blocked ? [{ extent: outer, stride: 12_544 * 16 }, { extent: 16, stride: 1 }] : [{ extent: 16 * outer, stride: 12_544 }];
    const step = blocked ? 16 : 1;
    return createTensor(describe([16 * outer, 112, 112], [channels, [{ extent: 112, stride: 112 * step }], [{ extent: 112, stride: step }]], 0));
  };
  assert.ok(opensOnBlock(tensor(2, true)));
  assert.ok(!opensOnBlock(tensor(2, false)), 'planes are seen in the whole');
  assert.ok(!opensOnBlock(tensor(1, true)), 'one block is NHWC');
  const small = createTensor(describe([32, 2, 2], [[{ extent: 2, stride: 64 }, { extent: 16, stride: 1 }], [{ extent: 2, stride: 32 }], [{ extent: 2, stride: 16 }]], 0));
  assert.ok(!opensOnBlock(small), 'all of it can be told apart');
  const whole = createViewport({ ...WINDOW, columns: 1792, rows: 224 });
  for (const characters of [3, 6, 10]) {
    const view = closeUp(whole, null, textColumn(characters));
    assert.ok(fontSizeFor(view.cell_css, characters, view.column_css) >= SMALLEST_FONT_CSS, `${characters}`);
    assert.equal(zoomStepOf(view, characters), 'text');
    assert.deepEqual([view.left_cells, view.top_cells], [0, 0]);
    assert.ok(view.column_css <= 3 * view.cell_css + 0.001);
    assert.ok(view.cell_css <= Math.max(19.65, textColumn(characters) / 3), 'no higher than a text needs: more rows are seen');
    const chosen = closeUp(whole, { column: 900, row: 100 }, textColumn(characters));
    assert.ok(chosen.left_cells < 900 && chosen.top_cells < 100 && chosen.left_cells > 870);
    const planes = { planeColumns: 3, planeRows: 3, pitchColumns: 4, pitchRows: 4 };
    const begun = fromPlane(chosen, { column: 901, row: 101 }, planes);
    assert.deepEqual([begun.left_cells % 4, begun.top_cells % 4, showsCell(begun, { column: 901, row: 101 })], [0, 0, true], 'with a plane');
    assert.equal(fromPlane(chosen, null, { ...planes, planeRows: 60 }), chosen, 'no plane has room');
  }
});
