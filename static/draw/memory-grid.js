/** @typedef {import('./types.js').MemoryScene} MemoryScene */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./surface.js').Surface} Surface */
/** @typedef {import('./surface.js').Sampling} Sampling */
/** @typedef {CanvasRenderingContext2D} Context */
import { cacheLine } from '../core/bytes.js';
import { GAP, PADDING, SHARED, UNDETERMINED } from '../core/layout/kinds.js';
import { parseColour, toWord } from '../core/palette.js';
import { decodeRow } from '../core/rows/decoder.js';
import { addressOfCell, cellOfAddress } from '../core/grid/memory.js';
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { LEAST_BORDERED_CSS } from '../core/grid/zoom.js';
import {
  beginFrame, CHARACTER_CSS, createMarks, emphasise, insideCells, LABEL_FONT_CSS, labelStep,
  LEAST_WRITTEN_CSS, pointBeyond, separateCells, writeCells,
} from './marks.js';
import { createCellText } from './cell-text.js';
import { LINEAR } from './painter.js';
import {
  averageSamples, inkFor, laySurface, MOST_AVERAGED_CELLS, SAMPLES, sampleViewport, surfaceOf,
} from './surface.js';

/**
 * Room for the labels along the edges.
 * @param {Tensor} tensor
 * @returns {{inset_left_css: number, inset_top_css: number}}
 */
export function memoryInsets(tensor) {
  const characters = String(Math.max(0, tensor.bufferElements - 1)).length;
  return { inset_left_css: Math.ceil(characters * CHARACTER_CSS) + 14, inset_top_css: 20 };
}

/**
 * Draws the memory grid over the whole canvas: addresses wrapped at the row length, with the
 * addresses of the rows and the offsets of the columns along its edges.
 * @param {Context} context its canvas measures width_css * pixelRatio by height_css * pixelRatio
 * @param {MemoryScene} scene
 */
export function drawMemory(context, scene) {
  const { painter, viewport, pixelRatio } = scene;
  beginFrame(context, viewport, painter.theme, pixelRatio);
  const sampling = sampleViewport(viewport, pixelRatio);
  const surface = surfaceOf(context, sampling.width_px, sampling.height_px);
  paintMemory(scene, surface, sampling);
  insideCells(context, viewport, () => {
    laySurface(context, surface, sampling);
    if (viewport.cell_css >= LEAST_BORDERED_CSS) {
      separateCells(context, viewport, painter.theme);
      drawCells(context, scene, surface, sampling);
      drawCacheLines(context, scene);
    }
    drawEmphasis(context, scene);
  });
  drawEdges(context, scene);
}

/**
 * @param {MemoryScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 */
function paintMemory({ painter, rowLength_elems, viewport }, { words, width_px, height_px }, sampling) {
  const { firstColumn, firstRow, step_cells, step_rows, sampled, pixel_css } = sampling;
  const count = Math.min(width_px, Math.ceil((rowLength_elems - firstColumn) / step_cells));
  const averaged = sampled && step_cells < MOST_AVERAGED_CELLS;
  const samples = new Uint32Array(averaged ? count * SAMPLES : 0);
  const sampleStep = step_cells / SAMPLES;
  const back = toWord(parseColour(painter.theme.background));
  const patterned = pixel_css <= 2;
  for (let y_px = 0; y_px < height_px; y_px += 1) {
    const row = Math.floor(firstRow + y_px * step_rows);
    const at = y_px * width_px;
    if (row >= viewport.rows) {
      words.fill(0, at, at + width_px);
      continue;
    }
    const address = row * rowLength_elems + firstColumn;
    if (averaged) {
      const first = address - step_cells / 2 + sampleStep / 2;
      painter.paintAddresses(first, sampleStep, count * SAMPLES, samples, 0, y_px, false);
      averageSamples(samples, back, words, at, count);
    } else {
      painter.paintAddresses(address, step_cells, count, words, at, y_px, patterned);
    }
    words.fill(0, at + count, at + width_px);
  }
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 */
function drawCells(context, { painter, viewport, rowLength_elems, text, values, other = null }, surface, sampling) {
  const { tensor, theme, decoder } = painter;
  const { cell_css } = viewport;
  const marks = createMarks(cell_css);
  const written = cell_css >= LEAST_WRITTEN_CSS;
  const textOf = createCellText(tensor, text, values);
  /** @type {import('./marks.js').Label[]} */
  const labels = [];
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  for (let row = firstRow; row < endRow; row += 1) {
    const address = addressOfCell({ column: firstColumn, row }, rowLength_elems);
    const { kinds, linear } = decodeRow(decoder, address, endColumn - firstColumn, LINEAR);
    for (let column = firstColumn; column < endColumn; column += 1) {
      const at = column - firstColumn;
      const { x_css, y_css } = rectOf(viewport, { column, row });
      if (kinds[at] === PADDING) marks.padding(x_css, y_css);
      if (kinds[at] === GAP) marks.gap(x_css, y_css);
      if (kinds[at] === UNDETERMINED) marks.undetermined(x_css, y_css);
      if (kinds[at] > SHARED) continue;
      if (kinds[at] === SHARED) marks.shared(x_css, y_css);
      if (!written) continue;
      const coords = tensor.coordsOf(linear[at]);
      if (other !== null && other.addressOf(coords) === address + at) marks.kept(x_css, y_css);
      const word = surface.words[(row - sampling.firstRow) * surface.width_px + at];
      const centre = (cell_css - 1) / 2;
      labels.push({
        text: textOf(coords),
        x_css: x_css + centre,
        y_css: y_css + centre,
        ink: inkFor(word),
      });
    }
  }
  marks.paint(context, theme);
  writeCells(context, labels, cell_css, theme);
  marks.paintKept(context, theme);
}

/**
 * Small marks where a cache line begins.
 * @param {Context} context
 * @param {MemoryScene} scene
 */
function drawCacheLines(context, { painter, viewport, rowLength_elems, itemsize_bits }) {
  const line_elems = cacheLine(itemsize_bits);
  const { tensor, theme } = painter;
  if (line_elems < 2 || viewport.cell_css * line_elems < 12) return;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  context.fillStyle = theme.text;
  for (let row = firstRow; row < endRow; row += 1) {
    const start = row * rowLength_elems;
    const end = Math.min(start + endColumn, tensor.bufferElements);
    let address = Math.ceil((start + firstColumn) / line_elems) * line_elems;
    for (; address < end; address += line_elems) {
      const { x_css, y_css, size_css } = rectOf(viewport, cellOfAddress(address, rowLength_elems));
      context.fillRect(Math.max(x_css - 1.5, viewport.inset_left_css), y_css - 1, 2, Math.max(3, size_css * 0.28));
    }
  }
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 */
function drawEmphasis(context, { painter, viewport, rowLength_elems, selected, hovered, cursor }) {
  const { tensor, theme } = painter;
  /**
   * @param {number} address
   * @param {import('./marks.js').Emphasis} emphasis
   */
  function frame(address, emphasis) {
    if (address < 0 || address >= tensor.bufferElements) return;
    emphasise(context, rectOf(viewport, cellOfAddress(address, rowLength_elems)), theme, emphasis);
  }
  if (cursor !== null) frame(cursor, 'cursor');
  if (hovered !== null) frame(tensor.addressOf(hovered), 'hovered');
  if (selected === null) return;
  const address = tensor.addressOf(selected);
  frame(address, 'selected');
  pointBeyond(context, viewport, rectOf(viewport, cellOfAddress(address, rowLength_elems)), theme);
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 */
function drawEdges(context, { painter, viewport, rowLength_elems }) {
  const { theme, tensor } = painter;
  const { column_css, row_css, inset_left_css, inset_top_css, height_css, width_css } = viewport;
  if (inset_left_css === 0 || inset_top_css === 0 || tensor.bufferElements === 0) return;
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const rowStep = labelStep(row_css, LABEL_FONT_CSS + 4, false);
  for (let row = Math.ceil(firstRow / rowStep) * rowStep; row < endRow && row * rowLength_elems < tensor.bufferElements; row += rowStep) {
    const y = rectOf(viewport, { column: 0, row }).y_css + Math.max(row_css - 1, LABEL_FONT_CSS) / 2;
    if (y < inset_top_css + 4 || y > height_css) continue;
    context.fillText(String(row * rowLength_elems), inset_left_css - 7, y);
  }
  const characters = String(endColumn).length + 1;
  const binary = rowLength_elems % 4 === 0;
  const columnStep = labelStep(column_css, characters * CHARACTER_CSS + 8, binary);
  const wide = column_css >= characters * CHARACTER_CSS;
  context.textAlign = wide ? 'center' : 'left';
  for (let column = Math.ceil(firstColumn / columnStep) * columnStep; column < endColumn; column += columnStep) {
    const x = rectOf(viewport, { column, row: 0 }).x_css + (wide ? (column_css - 1) / 2 : 0);
    if (x < inset_left_css || x + (wide ? 0 : characters * CHARACTER_CSS) > width_css) continue;
    context.fillText(`+${column}`, x, inset_top_css / 2);
  }
}
