/**
 * Frame times of the grids in a real browser: one set-up, then frames at moving positions. The
 * tensors take turns, so that a busy moment of the machine affects all of them.
 *
 * @typedef {object} Case
 * @property {'memory' | 'logical' | 'both'} grid both: a step of a walk, drawn in both grids
 * @property {'memory' | 'loops' | null} walk by address, or in loops whose every step jumps out of the window
 * @property {number[]} shape
 * @property {{extent: number, stride: number}[][]} digits
 * @property {number} buffer_elements
 * @property {number} cell_css
 * @property {number} width_css
 * @property {number} height_css
 * @property {number} rowLength_elems
 */
import { createLogicalGrid } from '../../static/core/grid/logical.js';
import { defaultTheme } from '../../static/core/palette.js';
import { memoryExtent } from '../../static/core/grid/memory.js';
import { createTensor } from '../../static/core/layout/tensor.js';
import { createViewport, visibleRange } from '../../static/core/grid/viewport.js';
import { logicalInsets } from '../../static/draw/logical-edges.js';
import { drawLogical } from '../../static/draw/logical-grid.js';
import { drawMemory, memoryInsets } from '../../static/draw/memory-grid.js';
import { createPainter } from '../../static/draw/painter.js';
import { drawWalk } from '../../static/draw/walk/marks.js';
import { cellOfAddress } from '../../static/core/grid/memory.js';
import { reveal } from '../../static/core/grid/viewport.js';
import { loopWalk, memoryWalk } from '../../static/core/walk/walk.js';

const WARM_UP = 3;

/** @param {number[]} times */
function median(times) {
  return [...times].sort((left, right) => left - right)[times.length >> 1];
}

/** @param {number} width_css @param {number} height_css */
function canvasOf(width_css, height_css) {
  const canvas = document.createElement('canvas');
  canvas.width = width_css;
  canvas.height = height_css;
  document.body.append(canvas);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no 2d canvas');
  return context;
}

/** @param {Case} wanted */
function sceneOf({ shape, digits, buffer_elements, width_css, height_css }) {
  const tensor = createTensor({
    shape, dims: 'NCHW', digits, offset: 0, swizzle: null, buffer: { elements: buffer_elements },
  });
  const painter = createPainter({ tensor, theme: defaultTheme(false), colour: 'auto', values: null, slice: null });
  const grid = createLogicalGrid(tensor, width_css / height_css);
  const selected = shape.map((size) => size >> 1);
  return { tensor, grid, shared: { painter, text: /** @type {const} */ ('linear'), values: null, selected, hovered: null, pixelRatio: 1 } };
}

/**
 * @param {Case} wanted
 * @returns {{setup_ms: number, cells: number, draw: (frame: number) => number}} draw: milliseconds
 */
function prepare(wanted) {
  const { width_css, height_css, cell_css, rowLength_elems } = wanted;
  const context = canvasOf(width_css, height_css);
  const started = performance.now();
  const { tensor, grid, shared } = sceneOf(wanted);
  const logical = wanted.grid === 'logical';
  const extent = logical
    ? { columns: grid.columns, rows: grid.rows, ...logicalInsets(tensor, true) }
    : { ...memoryExtent(tensor, rowLength_elems), ...memoryInsets(tensor) };
  const setup_ms = performance.now() - started;

  /** @param {number} frame */
  function viewportAt(frame) {
    const pan = { left_cells: frame * 0.4, top_cells: frame * 0.4 };
    return createViewport({ width_css, height_css, cell_css, ...extent, ...pan });
  }
  /** @param {number} frame */
  function draw(frame) {
    const viewport = viewportAt(frame);
    const begun = performance.now();
    if (logical) drawLogical(context, { ...shared, viewport, grid });
    else drawMemory(context, { ...shared, viewport, rowLength_elems, itemsize_bits: 32, cursor: null });
    // The browser may delay canvas calls; reading a pixel makes it execute them now.
    context.getImageData(0, 0, 1, 1);
    return performance.now() - begun;
  }
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewportAt(0));
  return { setup_ms, cells: (endColumn - firstColumn) * (endRow - firstRow), draw };
}

/**
 * A walk as the page draws it: both grids and their marks, each window following its cell.
 * @param {Case} wanted
 * @returns {{setup_ms: number, cells: number, draw: (frame: number) => number}} draw: milliseconds
 */
function prepareWalk(wanted) {
  const { width_css, height_css, cell_css, rowLength_elems } = wanted;
  const contexts = [canvasOf(width_css, height_css), canvasOf(width_css, height_css)];
  const started = performance.now();
  const { tensor, grid, shared } = sceneOf(wanted);
  // Along h, then the rest: in NCHW each step is a jump by a row.
  const walk = wanted.walk === 'loops' ? loopWalk(tensor, [3, 0, 2, 1]) : memoryWalk(tensor);
  const places = [
    { ...memoryExtent(tensor, rowLength_elems), ...memoryInsets(tensor) },
    { columns: grid.columns, rows: grid.rows, ...logicalInsets(tensor, true) },
  ];
  let viewports = places.map((place) => createViewport({ width_css, height_css, cell_css, ...place }));
  const setup_ms = performance.now() - started;
  const first = Math.floor(walk.steps / 3);

  /** @param {number} frame */
  function draw(frame) {
    const begun = performance.now();
    const visits = Array.from({ length: 33 }, (_, back) => walk.at(first + frame - back));
    const selected = visits[0].coords;
    const cells = [
      visits.map(({ address }) => cellOfAddress(address, rowLength_elems)),
      visits.map(({ coords }) => coords && grid.cellOf(coords)),
    ];
    viewports = viewports.map((viewport, at) => (cells[at][0] ? reveal(viewport, cells[at][0]) : viewport));
    drawMemory(contexts[0], { ...shared, selected, viewport: viewports[0], rowLength_elems, itemsize_bits: 32, cursor: null });
    drawLogical(contexts[1], { ...shared, selected, viewport: viewports[1], grid });
    contexts.forEach((context, at) => {
      const [now, ...trail] = cells[at];
      drawWalk(context, viewports[at], shared.painter.theme, { trail, most: 32, now, jump: '+1' }, new Set());
      context.getImageData(0, 0, 1, 1);
    });
    return performance.now() - begun;
  }
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewports[0]);
  return { setup_ms, cells: 2 * (endColumn - firstColumn) * (endRow - firstRow), draw };
}

/**
 * @param {Case[]} cases
 * @param {number} frames
 * @returns {{setup_ms: number, frame_ms: number, cells: number}[]} per case
 */
export function measure(cases, frames) {
  document.body.replaceChildren();
  const prepared = cases.map((wanted) => (wanted.walk ? prepareWalk(wanted) : prepare(wanted)));
  const times = cases.map(() => /** @type {number[]} */ ([]));
  for (let frame = 0; frame < WARM_UP + frames; frame += 1) {
    prepared.forEach(({ draw }, index) => {
      const frame_ms = draw(frame);
      if (frame >= WARM_UP) times[index].push(frame_ms);
    });
  }
  return prepared.map(({ setup_ms, cells }, index) => ({ setup_ms, cells, frame_ms: median(times[index]) }));
}
