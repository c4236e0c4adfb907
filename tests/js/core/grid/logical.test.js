import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksCount, createLogicalGrid, planeOrder } from '../../../../static/core/grid/logical.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { coordinatesOf, describe, seeded } from '../../random-layouts.js';

/**
 * @param {readonly number[]} shape
 * @param {string} [dims]
 */
function dense(shape, dims = 'GNCHW'.slice(5 - shape.length)) {
  let stride = 1;
  const digits = [...shape].reverse().map((extent) => {
    const digit = [{ extent, stride }];
    stride *= extent;
    return digit;
  });
  const layout = describe(shape, digits.reverse(), 0);
  return createTensor({ ...layout, dims });
}

test('cells and coordinates invert each other, and no two elements share a cell', () => {
  const random = seeded(8);
  for (let number = 0; number < 300; number += 1) {
    const shape = Array.from({ length: random(6) }, () => 1 + random(5));
    const grid = createLogicalGrid(dense(shape), 0.2 + random(60) / 10);
    const taken = new Set();
    for (const coords of coordinatesOf(shape)) {
      const { column, row } = grid.cellOf(coords);
      assert.deepEqual(grid.coordsAt(column, row), coords, JSON.stringify(shape));
      assert.ok(column >= 0 && column < grid.columns && row >= 0 && row < grid.rows);
      taken.add(`${column} ${row}`);
    }
    let owned = 0;
    for (let row = -1; row <= grid.rows; row += 1) {
      for (let column = -1; column <= grid.columns; column += 1) {
        const coords = grid.coordsAt(column, row);
        if (coords === null) continue;
        owned += 1;
        assert.deepEqual(grid.cellOf(coords), { column, row });
      }
    }
    const elements = shape.reduce((all, extent) => all * extent, 1);
    assert.deepEqual([taken.size, owned], [elements, elements]);
  }
});

test('planes are labelled with the outer coordinates', () => {
  const grid = createLogicalGrid(dense([2, 64, 3, 3]));
  assert.equal(grid.planes, 128);
  assert.equal(grid.labelOf(67), 'n 1 c 3');
  assert.deepEqual(grid.outerOf(67), [1, 3]);
  assert.equal(createLogicalGrid(dense([4, 5])).labelOf(0), '');
});

test('lines of planes do not break an image and come near the wished aspect', () => {
  for (const [shape, aspect] of /** @type {[number[], number][]} */ ([
    [[2, 64, 3, 3], 3], [[10, 3, 32, 32], 2], [[1, 48, 8, 8], 1], [[1000, 1000, 1000, 1000], 2],
  ])) {
    const grid = createLogicalGrid(dense(shape), aspect);
    const group = shape[1];
    const whole = grid.planesAcross % group === 0 || group % grid.planesAcross === 0;
    assert.ok(whole, `${grid.planesAcross} planes across for ${shape}`);
    const away = Math.abs(Math.log(grid.columns / grid.rows / aspect));
    assert.ok(away < Math.log(2.5), `aspect ${grid.columns / grid.rows} for ${shape}, wished ${aspect}`);
  }
});

test('only planes in the range are listed, and they all are', () => {
  const shape = [3, 7, 4, 5];
  const grid = createLogicalGrid(dense(shape));
  const range = { firstColumn: 6, endColumn: 14, firstRow: 3, endRow: 9 };
  const met = new Set();
  for (let row = range.firstRow; row < range.endRow; row += 1) {
    for (let column = range.firstColumn; column < range.endColumn; column += 1) {
      const coords = grid.coordsAt(column, row);
      if (coords !== null) met.add(coords[0] * 7 + coords[1]);
    }
  }
  const listed = grid.planesIn(range);
  for (const plane of met) assert.ok(listed.includes(plane), `plane ${plane}`);
  assert.ok(listed.length <= met.size + 4, 'none that is far from the range');
  assert.deepEqual(createLogicalGrid(dense([3, 0])).planesIn(range), []);
});

test('10^12 elements cost no more than ten', () => {
  const grid = createLogicalGrid(dense([1000, 1000, 1000, 1000]));
  const coords = [123, 456, 789, 12];
  const { column, row } = grid.cellOf(coords);
  assert.deepEqual(grid.coordsAt(column, row), coords);
  assert.ok(grid.planesIn({ firstColumn: 0, endColumn: grid.columns, firstRow: 0, endRow: grid.rows }).length <= 4096);
});

/**
 * @param {number} rank
 * @param {readonly number[]} sizes
 * @returns {number[][]} every shape of that rank
 */
function shapesOf(rank, sizes) {
  if (rank === 0) return [[]];
  return shapesOf(rank - 1, sizes).flatMap((shape) => sizes.map((size) => [...shape, size]));
}

test('a size of 0 anywhere makes a grid without cells, of finite sizes', () => {
  for (let rank = 0; rank <= 5; rank += 1) {
    for (const shape of shapesOf(rank, [0, 1, 3, 1000])) {
      for (const aspect of [0.1, 2.6, 30]) {
        const grid = createLogicalGrid(dense(shape), aspect);
        const said = JSON.stringify({ shape, aspect });
        for (const count of [grid.columns, grid.rows, grid.planesAcross]) {
          assert.ok(Number.isSafeInteger(count) && count >= 1, said);
        }
        if (!shape.includes(0)) continue;
        assert.deepEqual(grid.planesIn({ firstColumn: 0, endColumn: 9, firstRow: 0, endRow: 9 }), [], said);
        for (const [column, row] of [[0, 0], [0, 1], [1, 0], [-1, -1], [7, 5]]) {
          assert.equal(grid.coordsAt(column, row), null, said);
        }
      }
    }
  }
});

test('a long prime dimension has its grid at once: a search through it would not end', () => {
  const prime = 4503599627370449;
  for (const aspect of [0.01, 1, 30]) {
    const { planesAcross } = createLogicalGrid(dense([prime, 1, 1]), aspect);
    assert.ok(planesAcross >= 1 && planesAcross <= prime, String(planesAcross));
  }
});

test('where channels come last, a plane has the rows and columns of the picture', () => {
  const grid = createLogicalGrid(dense([4, 5, 3], 'HWC'));
  assert.deepEqual([grid.planeRows, grid.planeColumns, grid.planes], [4, 5, 3]);
  assert.equal(grid.labelOf(2), 'c 2');
  for (let linear = 0; linear < 60; linear += 1) {
    const coords = [Math.floor(linear / 15), Math.floor(linear / 3) % 5, linear % 3];
    const { column, row } = grid.cellOf(coords);
    assert.deepEqual(grid.coordsAt(column, row), coords);
  }
  assert.deepEqual(planeOrder(['N', 'H', 'W', 'C']), [0, 3, 1, 2]);
  assert.deepEqual(planeOrder(['N', 'C', 'H', 'W']), [0, 1, 2, 3]);
  assert.deepEqual(planeOrder(['W', 'C']), [0, 1]);
});

test('a row of planes is a block, and the planes of padding have their places', () => {
  /** @param {number} channels @param {number} block @param {number} [aspect] */
  const blocked = (channels, block, aspect = 3.3) => {
    const outer = Math.ceil(channels / block);
    const digits = [[{ extent: 2, stride: outer * block * 20 }], [{ extent: outer, stride: block * 20 }, { extent: block, stride: 1 }], [{ extent: 4, stride: 5 * block }], [{ extent: 5, stride: block }]];
    return createLogicalGrid(createTensor({ ...describe([2, channels, 4, 5], digits, 0), dims: 'NCHW' }), aspect);
  };
  const grid = blocked(6, 4);
  const whole = { firstColumn: 0, endColumn: grid.columns, firstRow: 0, endRow: grid.rows };
  assert.equal(grid.planesAcross % 4, 0);
  const padded = grid.paddedIn(whole);
  assert.deepEqual(padded.map(({ text }) => text).sort(), ['c 6, padding', 'c 6, padding', 'c 7, padding', 'c 7, padding']);
  for (const place of padded) assert.equal(grid.coordsAt(place.column, place.row), null);
  for (const n of [0, 1]) {
    const rows = [0, 1, 2, 3].map((c) => grid.cellOf([n, c, 0, 0]).row);
    assert.equal(new Set(rows).size, 1, 'a block is in one row');
    for (let c = 0; c < 6; c += 1) assert.deepEqual(grid.coordsAt(grid.cellOf([n, c, 3, 4]).column, grid.cellOf([n, c, 3, 4]).row), [n, c, 3, 4]);
  }
  assert.deepEqual(blocked(3, 32).paddedIn(whole), [], 'a block that is almost all padding is not drawn');
  for (const [channels, block] of [[64, 4], [5, 16], [1, 4], [33, 8]]) {
    const each = blocked(channels, block);
    assert.ok(each.planesAcross % block === 0 || block % each.planesAcross === 0, `${channels} by ${block}: no block is broken in two rows`);
  }
});

test('many rows of blocks without padding are wrapped over a large window', () => {
  const weights = dense([64, 48, 3, 3]);
  const blocked = { ...weights, digits: weights.digits.with(1, [{ extent: 3, stride: 2304, weight: 16 }, { extent: 16, stride: 1, weight: 1 }]) };
  assert.equal(blocksCount(blocked), false);
  const small = dense([64, 16, 2, 2]);
  const halves = { ...small, digits: small.digits.with(1, [{ extent: 2, stride: 32, weight: 8 }, { extent: 8, stride: 1, weight: 1 }]) };
  const [wrapped, rows] = [false, true].map((blocks) => createLogicalGrid(halves, 5, blocks));
  assert.ok(wrapped.rows < rows.rows / 2, `${wrapped.rows} of ${rows.rows}`);
  assert.equal(blocksCount({ ...blocked, shape: [16, 48, 3, 3] }), true);
  assert.equal(blocksCount({ ...blocked, shape: [64, 47, 3, 3] }), true);
  assert.equal(blocksCount(dense([100, 100])), true);
  assert.equal(blocksCount({ ...blocked, shape: [16, 48, 3, 3] }, true), false, 'nor in a narrow window');
  assert.equal(blocksCount({ ...blocked, shape: [1, 47, 3, 3] }, true), true, 'where padding is shown');
});

test('where a tensor opens on a block, its planes do not move with the height of the window, and a row is one group', () => {
  const weights = dense([64, 48, 3, 3]);
  const blocked = { ...weights, digits: weights.digits.with(1, [{ extent: 3, stride: 2304, weight: 16 }, { extent: 16, stride: 1, weight: 1 }]) };
  const images = { ...blocked, shape: [1, 64, 56, 56], elements: 200704, digits: blocked.digits.with(1, [{ extent: 4, stride: 50176, weight: 16 }, { extent: 16, stride: 1, weight: 1 }]) };
  for (const aspect of [0.5, 1.7, 2.6, 4, 9]) {
    assert.equal(createLogicalGrid(blocked, aspect, false).planesAcross, 48);
    assert.equal(createLogicalGrid(images, aspect).planesAcross, 16, 'a row is a block');
  }
});

test('between planes the nearest element is that of the plane before, and beyond the planes there is none', () => {
  const grid = createLogicalGrid(dense([2, 5, 3, 3]), 1);
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < grid.columns; column += 1) {
      const coords = grid.coordsAt(column, row);
      const plane = grid.planeIn(Math.floor(row / grid.pitchRows), Math.floor(column / grid.pitchColumns));
      const nearest = grid.nearestAt(column, row);
      assert.equal(nearest === null, plane < 0);
      if (coords) assert.deepEqual(nearest, coords);
    }
  }
});
