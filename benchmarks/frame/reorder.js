/**
 * Frame times of a reorder that plays, in a real browser: both memories, what is not there yet, the
 * rails, and the units on their way. While the window scrolls, the memories are drawn anew; while it
 * stands, their picture is kept, as on the page.
 *
 * @typedef {object} ReorderCase
 * @property {Parameters<typeof createSchedule>[0]} answer of /schedule
 * @property {import('../../static/core/types.js').DescriptionJson} source description
 * @property {import('../../static/core/types.js').DescriptionJson} target description
 * @property {number} itemsize_bits
 * @property {number} cell_css
 * @property {boolean} scrolls
 * @property {number} width_css of one memory
 * @property {number} height_css
 */
import { cacheLine } from '../../static/core/bytes.js';
import { cellOfAddress, memoryExtent } from '../../static/core/grid/memory.js';
import { createViewport, rectOf } from '../../static/core/grid/viewport.js';
import { createTensor } from '../../static/core/layout/tensor.js';
import { defaultTheme } from '../../static/core/palette.js';
import { createInverse } from '../../static/core/schedule/inverse.js';
import { createRows } from '../../static/core/schedule/rows.js';
import { createSchedule } from '../../static/core/schedule/steps.js';
import { drawMemory, memoryInsets } from '../../static/draw/memory-grid.js';
import { createPainter } from '../../static/draw/painter.js';
import { drawProgress, drawRail, textsOf } from '../../static/draw/reorder/progress.js';
import { drawTravel } from '../../static/draw/reorder/travel.js';

const RAIL_CSS = 24;
const WARM_UP = 3;

/** @param {number[]} times */
function median(times) {
  return [...times].sort((left, right) => left - right)[times.length >> 1];
}

/** @param {number} width @param {number} height */
function canvasOf(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  document.body.append(canvas);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no 2d canvas');
  return context;
}

/** @param {ReorderCase} wanted */
function prepare({ answer, source, target, itemsize_bits, cell_css, scrolls, width_css, height_css }) {
  const begun = performance.now();
  const theme = defaultTheme(false);
  const schedule = createSchedule(answer);
  const tensors = { a: createTensor(source), b: createTensor(target) };
  const inverse = createInverse(schedule, tensors.a, tensors.b);
  if (inverse === null) throw new Error('no inverse');
  const rowLength_elems = cacheLine(itemsize_bits);
  const sides = /** @type {const} */ (['a', 'b']).map((side) => {
    const tensor = tensors[side];
    const painter = createPainter({ tensor, theme, colour: 'auto', values: null, slice: null, like: tensors.a });
    return {
      side,
      tensor,
      painter,
      writtenAt: textsOf(painter),
      rowAt: createRows(side === 'a' ? inverse.reading : inverse.writing, rowLength_elems, tensor.bufferElements),
      cells: canvasOf(width_css, height_css),
      rail: canvasOf(RAIL_CSS, height_css),
    };
  });
  const over = canvasOf(2 * width_css, height_css);
  const setup_ms = performance.now() - begun;

  /** @param {number} frame */
  function draw(frame) {
    const started = performance.now();
    const part = (frame % 4) / 4;
    const step = schedule.stepAt(Math.min(Math.floor(schedule.steps / 2) + Math.floor(frame / 4), schedule.steps - 1));
    const places = sides.map((each) => {
      const address = (each.side === 'a' ? step.source_address : step.target_address) ?? 0;
      const cell = cellOfAddress(address, rowLength_elems);
      const extent = { ...memoryExtent(each.tensor, rowLength_elems), ...memoryInsets(each.tensor) };
      const top_cells = Math.max(0, cell.row - 5 + (scrolls ? (frame % 10) / 10 : 0));
      const viewport = createViewport({ width_css, height_css, cell_css, left_cells: 0, top_cells, ...extent });
      drawMemory(each.cells, {
        painter: each.painter, viewport, rowLength_elems, itemsize_bits, text: 'auto', values: null,
        selected: null, hovered: null, cursor: null, pixelRatio: 1,
      });
      const shared = { viewport, theme, rowAt: each.rowAt, done: step.step - 1, pixelRatio: 1 };
      drawProgress(each.cells, { ...shared, side: each.side, rowLength_elems, writtenAt: each.writtenAt });
      drawRail(each.rail, { ...shared, width_css: RAIL_CSS, now: [cell.row, cell.row] });
      const { x_css, y_css, size_css } = rectOf(viewport, cell);
      return { x: x_css + (each.side === 'b' ? width_css : 0), y: y_css, side: size_css };
    });
    const [from, to] = places;
    const cells = [{ fill: '#0072b2', ink: '#ffffff', text: '42' }];
    drawTravel(over, {
      pieces: [{ from, to, count: 1, fromSide: from.side, toSide: to.side, cells }],
      read: [{ ...from, count: 1 }],
      written: [{ ...to, count: 1 }],
      part, theme, between: { x: width_css - 10, end: width_css }, width_css: 2 * width_css, height_css, pixelRatio: 1,
    });
    // The browser may delay canvas calls; reading a pixel makes it execute them now.
    for (const context of [over, ...sides.flatMap(({ cells: grid, rail }) => [grid, rail])]) context.getImageData(0, 0, 1, 1);
    return performance.now() - started;
  }
  return { setup_ms, draw };
}

/**
 * @param {ReorderCase[]} cases
 * @param {number} frames
 * @returns {{setup_ms: number, frame_ms: number, worst_ms: number}[]} per case
 */
export function measureReorders(cases, frames) {
  document.body.replaceChildren();
  const prepared = cases.map(prepare);
  const times = cases.map(() => /** @type {number[]} */ ([]));
  for (let frame = 0; frame < WARM_UP + frames; frame += 1) {
    prepared.forEach(({ draw }, index) => {
      const frame_ms = draw(frame);
      if (frame >= WARM_UP) times[index].push(frame_ms);
    });
  }
  return prepared.map(({ setup_ms }, index) => ({ setup_ms, frame_ms: median(times[index]), worst_ms: Math.max(...times[index]) }));
}
