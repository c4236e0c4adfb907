/** @import { MemoryScene, Sign, Tensor } from './types.js' */
/** @import { Gaps } from '../core/types.js' */
/** @import { Surface, Sampling } from './surface.js' */
/** @typedef {CanvasRenderingContext2D} Context */
import { cacheLine } from '../core/bytes.js';
import { GAP, PADDING, SHARED, UNDETERMINED, UNVIEWED } from '../core/layout/kinds.js';
import { parseColour, toWord } from '../core/palette.js';
import { decodeRow } from '../core/rows/decoder.js';
import { memoryBlocks } from '../core/grid/blocks.js';
import { gapsOf, gapsWithin, halfBefore, NO_GAPS } from '../core/grid/gaps.js';
import { addressOfCell, cellOfAddress } from '../core/grid/memory.js';
import { channelDim } from './colours.js';
import { exactText } from '../core/numbers.js';
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { charactersIn, LEAST_BORDERED_CSS } from '../core/grid/zoom.js';
import { drawMemoryBlocks } from './grids/blocks.js';
import { emphasise, FRAME_CSS, isSeen, pointBeyond } from './frames.js';
import {
  beginFrame, CHARACTER_CSS, createMarks, insideCells, LABEL_FONT_CSS,
  labelStep, LEAST_GAPPED_CSS, LEAST_OUTLINED_CSS, LEAST_WRITTEN_CSS, markLine, separateCells, writeCells, writeChosenTick,
} from './marks.js';
import { LINEAR } from './painter.js';
import {
  averageSamples, drawStill, fillSquares, inkFor, laySurface, MOST_AVERAGED_CELLS, SAMPLES, sampleViewport, searchesOf, surfaceOf,
} from './surface.js';

/** From the middle of the labels of columns to their cells. */
const EDGE_CSS = 9;

/**
 * Room for the labels along the edges.
 * @param {Tensor} tensor
 * @returns {{label_left_css: number, label_top_css: number}}
 */
export function memoryInsets(tensor) {
  const characters = exactText(Math.max(0, tensor.bufferElements - 1)).length;
  return { label_left_css: Math.ceil(characters * CHARACTER_CSS) + 9, label_top_css: 20 };
}

/**
 * Draws the memory grid over the whole canvas: addresses wrapped at the row length, with the
 * addresses of the rows and the offsets of the columns along its edges.
 * @param {Context} context its canvas measures width_css * pixelRatio by height_css * pixelRatio
 * @param {MemoryScene} scene
 * @returns {Set<Sign>} what is to be seen
 */
export function drawMemory(context, scene) {
  const { painter, viewport, pixelRatio, rowLength_elems, itemsize_bits, text, values, other } = scene;
  const parts = [painter, rowLength_elems, itemsize_bits, text, values, other];
  const seen = drawStill(context, viewport, pixelRatio, parts, (pen) => drawAddresses(pen, context, scene));
  insideCells(context, viewport, () => drawEmphasis(context, scene, seen), FRAME_CSS);
  tickChosen(context, scene);
  return seen;
}

/**
 * The cells and the labels, without what is chosen or pointed at.
 * @param {Context} context
 * @param {Context} owner of the surface
 * @param {MemoryScene} scene
 * @returns {Set<Sign>} what is to be seen
 */
function drawAddresses(context, owner, scene) {
  const { painter, viewport, pixelRatio } = scene;
  beginFrame(context, viewport, painter.theme, pixelRatio);
  const sampling = sampleViewport(viewport, pixelRatio);
  const surface = surfaceOf(owner, sampling.width_px, sampling.height_px);
  /** @type {Set<Sign>} */
  const seen = new Set();
  const met = paintMemory(scene, surface, sampling, seen);
  if (met & (1 << PADDING)) seen.add('padding');
  if (met & (1 << UNDETERMINED)) seen.add('undetermined');
  if (met & (1 << UNVIEWED)) seen.add('unviewed');
  if (painter.masks.length > 0) seen.add('faded');
  insideCells(context, viewport, () => {
    laySurface(context, surface, sampling);
    if (viewport.cell_css < LEAST_GAPPED_CSS) drawMemoryBlocks(context, scene, seen);
    if (viewport.cell_css >= LEAST_BORDERED_CSS) {
      const gapped = viewport.cell_css >= LEAST_GAPPED_CSS;
      const gaps = gapped ? gapsOf(painter.tensor, channelDim(painter.tensor), scene.rowLength_elems) : NO_GAPS;
      const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
      const [columns, rows] = [gapsWithin(gaps.columns, firstColumn, endColumn), gapsWithin(gaps.rows, firstRow, endRow)];
      if (columns > 0) seen.add('pixels');
      if (rows > 0 || columns > 1) seen.add('blocks');
      separateCells(context, viewport, painter.theme, gaps);
      drawCells(context, scene, surface, sampling, seen, gaps);
      drawCacheLines(context, scene, seen);
    }
  });
  drawEdges(context, scene);
  return seen;
}

/**
 * @param {MemoryScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 * @param {Set<Sign>} seen
 * @returns {number} bits of the kinds without an element
 */
function paintMemory({ painter, rowLength_elems, viewport }, { words, width_px, height_px }, sampling, seen) {
  const { firstColumn, firstRow, step_cells, step_rows, sampled, pixel_css } = sampling;
  const count = Math.min(width_px, Math.ceil((rowLength_elems - firstColumn) / step_cells));
  const { side_px } = searchesOf(painter, width_px * height_px);
  const averaged = sampled && step_cells < MOST_AVERAGED_CELLS && !painter.searches;
  if (averaged) seen.add('mixed');
  const squares = Math.ceil(count / side_px);
  const samples = new Uint32Array(averaged ? count * SAMPLES : side_px > 1 ? squares : 0);
  const sampleStep = step_cells / SAMPLES;
  const back = toWord(parseColour(painter.theme.background));
  const patterned = pixel_css <= 2;
  let met = 0;
  for (let y_px = 0; y_px < height_px; y_px += side_px) {
    const row = Math.floor(firstRow + y_px * step_rows);
    const at = y_px * width_px;
    if (row >= viewport.rows) {
      words.fill(0, at, at + side_px * width_px);
      continue;
    }
    const address = row * rowLength_elems + firstColumn;
    if (averaged) {
      const first = address - step_cells / 2 + sampleStep / 2;
      met |= painter.paintAddresses(first, sampleStep, count * SAMPLES, samples, 0, y_px, false);
      averageSamples(samples, back, words, at, count);
    } else if (side_px > 1) {
      met |= painter.paintAddresses(address, step_cells * side_px, squares, samples, 0, y_px, false);
      samples.forEach((word, square) => (words[at + square * side_px] = word));
    } else {
      met |= painter.paintAddresses(address, step_cells, count, words, at, y_px, patterned);
    }
    words.fill(0, at + count, at + width_px);
    if (side_px > 1) fillSquares(words, width_px, at, count, side_px);
  }
  return met;
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 * @param {Set<Sign>} seen
 * @param {Gaps} gaps
 */
function drawCells(context, scene, surface, sampling, seen, gaps) {
  const { painter, viewport, rowLength_elems, text, values, other = null } = scene;
  const { tensor, theme, decoder } = painter;
  const { cell_css, column_css } = viewport;
  const marks = createMarks(cell_css, column_css);
  const written = cell_css >= LEAST_WRITTEN_CSS;
  const textOf = painter.textOf(text, values, charactersIn(column_css));
  /** @type {import('./marks.js').Label[]} */
  const labels = [];
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const beside = Array.from({ length: endColumn - firstColumn + 1 }, (_, at) => halfBefore(gaps.columns, firstColumn + at, column_css));
  for (let row = firstRow; row < endRow; row += 1) {
    const [top, bottom] = [row, row + 1].map((at) => halfBefore(gaps.rows, at, cell_css));
    const address = addressOfCell({ column: firstColumn, row }, rowLength_elems);
    const { kinds, linear } = decodeRow(decoder, address, endColumn - firstColumn, LINEAR);
    for (let column = firstColumn; column < endColumn; column += 1) {
      const at = column - firstColumn;
      const { x_css, y_css } = rectOf(viewport, { column, row });
      const lost = { left: beside[at], right: beside[at + 1], top, bottom };
      if (kinds[at] === PADDING) marks.padding(x_css, y_css, lost);
      if (kinds[at] === GAP) marks.gap(x_css, y_css);
      if (kinds[at] === UNDETERMINED) marks.undetermined(x_css, y_css);
      if (kinds[at] > SHARED) continue;
      if (kinds[at] === SHARED) marks.shared(x_css, y_css);
      if (cell_css < LEAST_OUTLINED_CSS) continue;
      const word = surface.words[(row - sampling.firstRow) * surface.width_px + at];
      const outline = painter.outline(word);
      if (outline !== null) marks.outline(x_css, y_css, outline, lost);
      if (!written) continue;
      const coords = tensor.coordsOf(linear[at]);
      if (other !== null && other.addressOf(coords) === address + at) marks.kept(x_css, y_css);
      const centre = (cell_css - 1) / 2;
      labels.push({
        text: textOf(coords),
        x_css: x_css + (column_css - 1) / 2,
        y_css: y_css + centre,
        ink: inkFor(word),
      });
    }
  }
  marks.paint(context, theme);
  if (writeCells(context, labels, viewport, theme)) seen.add('text');
  marks.paintKept(context, theme);
  for (const sign of marks.seen) seen.add(sign);
}

/**
 * Small marks where a cache line begins.
 * @param {Context} context
 * @param {MemoryScene} scene
 * @param {Set<Sign>} seen
 */
function drawCacheLines(context, { painter, viewport, rowLength_elems, itemsize_bits }, seen) {
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
      markLine(context, rectOf(viewport, cellOfAddress(address, rowLength_elems)), viewport.inset_left_css);
      seen.add('line');
    }
  }
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 * @param {Set<Sign>} seen
 */
function drawEmphasis(context, { painter, viewport, rowLength_elems, selected, hovered, cursor }, seen) {
  const { tensor, theme } = painter;
  /**
   * @param {number} address
   * @param {import('./frames.js').Emphasis} emphasis
   */
  function frame(address, emphasis) {
    if (address < 0 || address >= tensor.bufferElements) return;
    const place = rectOf(viewport, cellOfAddress(address, rowLength_elems));
    if (!isSeen(viewport, place)) return;
    emphasise(context, place, theme, emphasis);
    seen.add(emphasis);
  }
  if (cursor !== null) frame(cursor, 'cursor');
  if (hovered !== null) frame(tensor.addressOf(hovered), 'hovered');
  if (selected === null) return;
  const address = tensor.addressOf(selected);
  frame(address, 'selected');
  if (pointBeyond(context, viewport, rectOf(viewport, cellOfAddress(address, rowLength_elems)), theme)) seen.add('beyond');
}

/**
 * The row and the column of the chosen cell, in bold on the edges, in place of ticks that they would touch.
 * @param {Context} context
 * @param {MemoryScene} scene
 */
export function tickChosen(context, scene) {
  const { painter: { tensor, theme }, viewport, rowLength_elems, selected } = scene;
  if (selected === null || viewport.label_left_css === 0 || viewport.cell_css < LEAST_BORDERED_CSS) return;
  const { inset_left_css, inset_top_css, cell_css } = viewport;
  const address = tensor.addressOf(selected);
  const cell = cellOfAddress(address, rowLength_elems);
  const place = rectOf(viewport, cell);
  if (!isSeen(viewport, place)) return;
  const [text, middle_css] = [`+${exactText(cell.column)}`, place.x_css + (place.wide_css - 1) / 2];
  const room_css = (text.length * CHARACTER_CSS) / 2 + 4;
  context.fillStyle = theme.background;
  for (const { left_css, wide_css } of columnTicks(scene)) {
    if (left_css >= middle_css + room_css || left_css + wide_css <= middle_css - room_css) continue;
    context.fillRect(left_css - 1, inset_top_css - EDGE_CSS - LABEL_FONT_CSS / 2, wide_css + 2, LABEL_FONT_CSS);
  }
  const row_css = place.y_css + Math.max(cell_css - 1, LABEL_FONT_CSS) / 2;
  for (const { text: other, y_css } of rowTicks(scene)) {
    if (Math.abs(y_css - row_css) >= LABEL_FONT_CSS) continue;
    const wide_css = other.length * CHARACTER_CSS;
    context.fillRect(inset_left_css - 7 - wide_css, y_css - LABEL_FONT_CSS / 2, wide_css, LABEL_FONT_CSS);
  }
  writeChosenTick(context, theme, text, middle_css, inset_top_css - EDGE_CSS, 'center');
  writeChosenTick(context, theme, exactText(address - cell.column), inset_left_css - 7, row_css, 'right');
}

/**
 * @param {Context} context
 * @param {MemoryScene} scene
 */
function drawEdges(context, scene) {
  const { painter: { theme, tensor }, viewport } = scene;
  const { inset_left_css, inset_top_css } = viewport;
  if (inset_left_css === 0 || inset_top_css === 0 || tensor.bufferElements === 0) return;
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const { text, y_css } of rowTicks(scene)) context.fillText(text, inset_left_css - 7, y_css);
  for (const { text, x_css, align } of columnTicks(scene)) {
    context.textAlign = align;
    context.fillText(text, x_css, inset_top_css - EDGE_CSS);
  }
}

/**
 * The addresses at which rows begin.
 * @param {MemoryScene} scene
 */
function rowTicks({ painter: { tensor }, viewport, rowLength_elems }) {
  const { row_css, inset_top_css, height_css } = viewport;
  const { firstRow, endRow } = visibleRange(viewport);
  const step = labelStep(row_css, LABEL_FONT_CSS + 4, false, memoryBlocks(tensor, rowLength_elems).rows);
  const ticks = [];
  for (let row = Math.ceil(firstRow / step) * step; row < endRow && row * rowLength_elems < tensor.bufferElements; row += step) {
    const y_css = rectOf(viewport, { column: 0, row }).y_css + Math.max(row_css - 1, LABEL_FONT_CSS) / 2;
    if (y_css >= inset_top_css + 4 && y_css <= height_css) ticks.push({ text: exactText(row * rowLength_elems), y_css });
  }
  return ticks;
}

/**
 * The offsets of columns: in their middles, or from their left where columns are narrow.
 * @param {MemoryScene} scene
 */
function columnTicks({ painter: { tensor }, viewport, rowLength_elems }) {
  const { column_css, inset_left_css, width_css } = viewport;
  const { firstColumn, endColumn } = visibleRange(viewport);
  const characters = exactText(endColumn).length + 1;
  const binary = rowLength_elems % 4 === 0;
  const step = labelStep(column_css, characters * CHARACTER_CSS + 8, binary, memoryBlocks(tensor, rowLength_elems).columns);
  const wide = column_css >= characters * CHARACTER_CSS;
  const align = /** @type {'center' | 'left'} */ (wide ? 'center' : 'left');
  const ticks = [];
  for (let column = Math.ceil(firstColumn / step) * step; column < endColumn; column += step) {
    const x_css = rectOf(viewport, { column, row: 0 }).x_css + (wide ? (column_css - 1) / 2 : 0);
    if (x_css < inset_left_css || x_css + (wide ? 0 : characters * CHARACTER_CSS) > width_css) continue;
    const text = `+${exactText(column)}`;
    const wide_css = text.length * CHARACTER_CSS;
    ticks.push({ text, x_css, align, wide_css, left_css: wide ? x_css - wide_css / 2 : x_css });
  }
  return ticks;
}
