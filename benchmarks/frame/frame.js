/**
 * Frame times of the grids in a real browser: one set-up, then frames at moving positions. The
 * tensors take turns, so that a busy moment of the machine affects all of them.
 *
 * @typedef {object} Case
 * @property {'memory' | 'logical'} grid
 * @property {number[]} shape
 * @property {{extent: number, stride: number}[][]} digits
 * @property {number} buffer_elements
 * @property {number} cell_css
 * @property {number} width_css
 * @property {number} height_css
 * @property {number} rowLength_elems
 */
import { createLogicalGrid } from '/static/core/grid/logical.js';
import { defaultTheme } from '/static/core/palette.js';
import { memoryExtent } from '/static/core/grid/memory.js';
import { createTensor } from '/static/core/layout/tensor.js';
import { createViewport, visibleRange } from '/static/core/grid/viewport.js';
import { drawLogical, logicalInsets } from '/static/draw/logical-grid.js';
import { drawMemory, memoryInsets } from '/static/draw/memory-grid.js';
import { createPainter } from '/static/draw/painter.js';

const WARM_UP = 3;

/** @param {number[]} times */
function median(times) {
  return [...times].sort((left, right) => left - right)[times.length >> 1];
}

/**
 * @param {Case} wanted
 * @returns {{setup_ms: number, cells: number, draw: (frame: number) => number}} draw: milliseconds
 */
function prepare(wanted) {
  const { shape, digits, buffer_elements, width_css, height_css, cell_css, rowLength_elems } = wanted;
  const canvas = document.createElement('canvas');
  canvas.width = width_css;
  canvas.height = height_css;
  document.body.append(canvas);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no 2d canvas');

  const started = performance.now();
  const tensor = createTensor({
    shape, dims: 'NCHW', digits, offset: 0, swizzle: null, buffer: { elements: buffer_elements },
  });
  const theme = defaultTheme(false);
  const painter = createPainter({ tensor, theme, colour: 'auto', values: null, slice: null });
  const grid = createLogicalGrid(tensor, width_css / height_css);
  const logical = wanted.grid === 'logical';
  const extent = logical
    ? { columns: grid.columns, rows: grid.rows, ...logicalInsets(tensor) }
    : { ...memoryExtent(tensor, rowLength_elems), ...memoryInsets(tensor) };
  const setup_ms = performance.now() - started;

  const selected = shape.map((size) => size >> 1);
  const shared = { painter, text: 'linear', values: null, selected, hovered: null, pixelRatio: 1 };
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
 * @param {Case[]} cases
 * @param {number} frames
 * @returns {{setup_ms: number, frame_ms: number, cells: number}[]} per case
 */
export function measure(cases, frames) {
  document.body.replaceChildren();
  const prepared = cases.map(prepare);
  const times = cases.map(() => /** @type {number[]} */ ([]));
  for (let frame = 0; frame < WARM_UP + frames; frame += 1) {
    prepared.forEach(({ draw }, index) => {
      const frame_ms = draw(frame);
      if (frame >= WARM_UP) times[index].push(frame_ms);
    });
  }
  return prepared.map(({ setup_ms, cells }, index) => ({ setup_ms, cells, frame_ms: median(times[index]) }));
}
