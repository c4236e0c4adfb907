/** @typedef {import('./types.js').LogicalScene} LogicalScene */
/** @typedef {import('./types.js').Sign} Sign */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./surface.js').Surface} Surface */
/** @typedef {import('./surface.js').Sampling} Sampling */
/** @typedef {CanvasRenderingContext2D} Context */
/** @typedef {{x_css: number, y_css: number, size_css: number}} Place */
import { planeOrder } from '../core/grid/logical.js';
import { exactText } from '../core/numbers.js';
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { charactersIn, LEAST_BORDERED_CSS } from '../core/grid/zoom.js';
import { emphasise, FRAME_CSS, isSeen, pointBeyond } from './frames.js';
import {
  beginFrame, CHARACTER_CSS, createMarks, insideCells, LABEL_FONT_CSS,
  labelStep, LEAST_OUTLINED_CSS, LEAST_WRITTEN_CSS, separateCells, writeCells,
} from './marks.js';
import { CELL_BUDGET } from './cell-text.js';
import { paintPlanes } from './planes.js';
import { drawStill, inkFor, laySurface, sampleViewport, surfaceOf } from './surface.js';

const LABEL_CSS = 15;
/** A label on the edge stands so far above the cells, over the coordinates. */
const LABEL_ABOVE_CSS = 24;
const LEAST_PLANE_CSS = 24;

/**
 * Room for the coordinates along the edges.
 * @param {Tensor} tensor
 * @returns {{inset_left_css: number, inset_top_css: number}}
 */
export function logicalInsets(tensor) {
  const rank = tensor.shape.length;
  const lengths = planeOrder(tensor.dims).map((dim) => exactText(Math.max(0, tensor.shape[dim] - 1)).length);
  const characters = Math.max(3, rank > 1 ? lengths[rank - 2] + 2 : 0, ...lengths.slice(0, -2));
  return { inset_left_css: Math.ceil(characters * CHARACTER_CSS) + 12, inset_top_css: rank > 2 ? LABEL_CSS + 20 : 20 };
}

/**
 * Draws the planes of the logical tensor over the whole canvas, with labels and coordinates.
 * @param {Context} context its canvas measures width_css * pixelRatio by height_css * pixelRatio
 * @param {LogicalScene} scene
 * @returns {Set<Sign>} what is to be seen
 */
export function drawLogical(context, scene) {
  const { painter, viewport, pixelRatio, grid, text, values } = scene;
  const parts = [painter, grid, text, values];
  const seen = drawStill(context, viewport, pixelRatio, parts, (pen) => drawElements(pen, context, scene));
  if (painter.tensor.elements > 0) insideCells(context, viewport, () => drawEmphasis(context, scene, seen), FRAME_CSS);
  return seen;
}

/**
 * The cells and the labels, without what is chosen or pointed at.
 * @param {Context} context
 * @param {Context} owner of the surface
 * @param {LogicalScene} scene
 * @returns {Set<Sign>} what is to be seen
 */
function drawElements(context, owner, scene) {
  const { painter, viewport, pixelRatio, grid } = scene;
  beginFrame(context, viewport, painter.theme, pixelRatio);
  /** @type {Set<Sign>} */
  const seen = new Set();
  if (painter.tensor.elements > 0) {
    const sampling = sampleViewport(viewport, pixelRatio);
    const surface = surfaceOf(owner, sampling.width_px, sampling.height_px);
    paintPlanes(scene, surface, sampling);
    if (painter.masks.length > 0) seen.add('faded');
    insideCells(context, viewport, () => {
      laySurface(context, surface, sampling);
      if (viewport.cell_css >= LEAST_BORDERED_CSS) {
        separateCells(context, viewport, painter.theme);
        drawCells(context, scene, surface, sampling, seen);
      }
    });
    drawPlaneLabels(context, scene);
  }
  if (grid.planeRows > 0 && grid.planeColumns > 0) {
    drawEdges(context, scene);
    drawFarEdges(context, scene);
  }
  return seen;
}

/**
 * @param {Tensor} tensor
 * @returns {(coords: readonly number[]) => boolean} whether others share the element's address
 */
function sharingOf(tensor) {
  if (!tensor.shares) return () => false;
  return (coords) => tensor.ownerOf(tensor.addressOf(coords), CELL_BUDGET).count > 1;
}

/**
 * @param {Context} context
 * @param {LogicalScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 * @param {Set<Sign>} seen
 */
function drawCells(context, { painter, viewport, grid, text, values }, surface, sampling, seen) {
  const { tensor, theme } = painter;
  const { cell_css } = viewport;
  if (cell_css < LEAST_OUTLINED_CSS) return;
  const isShared = sharingOf(tensor);
  const textOf = painter.textOf(text, values, charactersIn(cell_css));
  const marks = createMarks(cell_css);
  /** @type {import('./marks.js').Label[]} */
  const labels = [];
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  for (let row = firstRow; row < endRow; row += 1) {
    for (let column = firstColumn; column < endColumn; column += 1) {
      const coords = grid.coordsAt(column, row);
      if (coords === null) continue;
      const place = rectOf(viewport, { column, row });
      if (isShared(coords)) marks.shared(place.x_css, place.y_css);
      const word =
        surface.words[(row - sampling.firstRow) * surface.width_px + column - sampling.firstColumn];
      const outline = painter.outline(word);
      if (outline !== null) marks.outline(place.x_css, place.y_css, outline);
      if (cell_css < LEAST_WRITTEN_CSS) continue;
      const centre = (cell_css - 1) / 2;
      labels.push({
        text: textOf(coords),
        x_css: place.x_css + centre,
        y_css: place.y_css + centre,
        ink: inkFor(word),
      });
    }
  }
  marks.paint(context, theme);
  for (const sign of marks.seen) seen.add(sign);
  if (writeCells(context, labels, cell_css, theme)) seen.add('text');
}

/**
 * Where planes are too small for labels of their own: which planes lie along the edges, at ticks.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
function drawFarEdges(context, { painter, viewport, grid }) {
  const { column_css, row_css, inset_left_css, inset_top_css, width_css, height_css } = viewport;
  const { theme, tensor } = painter;
  const { pitchColumns, pitchRows, lead_rows, planesAcross } = grid;
  if (tensor.shape.length < 3) return;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  const firstLine = Math.max(0, Math.floor((firstRow - lead_rows) / pitchRows));
  if (pitchColumns * column_css < LEAST_PLANE_CSS) {
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    const wide_css = (grid.labelOf(grid.planes - 1).length + 2) * CHARACTER_CSS;
    const step = planeStep(grid, labelStep(pitchColumns * column_css, wide_css, false));
    const first = Math.ceil(firstColumn / pitchColumns / step) * step;
    for (let place = first; place < planesAcross && place * pitchColumns < endColumn; place += step) {
      const plane = grid.planeIn(firstLine, place);
      const { x_css } = rectOf(viewport, { column: place * pitchColumns, row: 0 });
      if (plane < 0 || x_css + wide_css > width_css) continue;
      context.fillText(grid.labelOf(plane), x_css, inset_top_css - LABEL_ABOVE_CSS + LABEL_FONT_CSS);
      context.fillRect(x_css, inset_top_css - 8, 1, 6);
    }
  }
  if (pitchRows * row_css >= LEAST_PLANE_CSS) return;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const lines = labelStep(pitchRows * row_css, LABEL_FONT_CSS + 4, false);
  const most = Math.floor((inset_left_css - 8) / CHARACTER_CSS);
  for (let line = Math.ceil(firstLine / lines) * lines; line * pitchRows < endRow; line += lines) {
    const [plane, next] = [grid.planeIn(line, 0), grid.planeIn(line + 1, 0)];
    const y_css = rectOf(viewport, { column: 0, row: line * pitchRows + lead_rows }).y_css + LABEL_FONT_CSS / 2;
    if (plane < 0 || y_css < inset_top_css || y_css > height_css) continue;
    // The dimension in which a line differs from its neighbour.
    const [here, there] = [plane, next < 0 ? grid.planeIn(line - 1, 0) : next].map((one) => (one < 0 ? [] : grid.outerOf(one)));
    const at = Math.max(0, here.findIndex((coordinate, dim) => coordinate !== there[dim]));
    const value = exactText(here[at]);
    const text = `${tensor.dims[grid.order[at]].toLowerCase()}=${value}`;
    context.fillText(text.length > most ? value : text, inset_left_css - 7, y_css);
    context.fillRect(inset_left_css - 5, y_css - LABEL_FONT_CSS / 2, 4, 1);
  }
}

/**
 * @param {import('../core/types.js').LogicalGrid} grid
 * @param {number} step between labels, at least
 * @returns {number} a step that begins with each group of the last outer dimension, where it is longer than one
 */
function planeStep({ planes, outerOf, planesAcross }, step) {
  const outer = planes > 0 ? outerOf(planes - 1) : [];
  const group = (outer[outer.length - 1] ?? 0) + 1;
  if (group >= planesAcross) return step;
  if (step >= group) return Math.ceil(step / group) * group;
  const divisors = Array.from({ length: Math.ceil(group / step) }, (_, at) => group / (at + 1));
  return divisors.findLast((each) => Number.isInteger(each) && each >= step) ?? group;
}

/**
 * @param {LogicalScene} scene
 * @returns {Place[]} of the elements in the window that share the address of the selected one
 */
function relatedPlaces({ painter, viewport, grid, selected }) {
  const { tensor } = painter;
  if (selected === null || !tensor.shares || viewport.cell_css < LEAST_OUTLINED_CSS) return [];
  const chosen = tensor.addressOf(selected);
  /** @type {Place[]} */
  const related = [];
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  for (let row = firstRow; row < endRow; row += 1) {
    for (let column = firstColumn; column < endColumn; column += 1) {
      const coords = grid.coordsAt(column, row);
      if (coords !== null && tensor.addressOf(coords) === chosen) related.push(rectOf(viewport, { column, row }));
    }
  }
  return related;
}

/**
 * Labels in the gaps above the planes. Those of the uppermost line are drawn on the edge where their
 * own place is too small or out of view.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
function drawPlaneLabels(context, { painter, viewport, grid }) {
  const { column_css, row_css, inset_left_css, inset_top_css, width_css } = viewport;
  const pitch_css = grid.pitchColumns * column_css;
  if (painter.tensor.shape.length < 3 || pitch_css < LEAST_PLANE_CSS) return;
  context.font = `${LABEL_FONT_CSS}px ${painter.theme.font}`;
  context.fillStyle = painter.theme.muted;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  const bottom_css = (grid.planeRows - 1) * row_css;
  let line = { row: NaN, end_css: 0, onEdge: false };
  let edgeTaken = false;
  for (const plane of grid.planesIn(visibleRange(viewport))) {
    const origin = grid.originOf(plane);
    const { x_css, y_css } = rectOf(viewport, origin);
    const above_css = (origin.row === grid.lead_rows ? grid.lead_rows : grid.gap_rows) * row_css;
    const inPlace = above_css >= LABEL_FONT_CSS - 1 && y_css - LABEL_FONT_CSS >= inset_top_css;
    const first = origin.row !== line.row;
    if (first) {
      /** @type {boolean} */
      const onEdge = !inPlace && !edgeTaken && y_css + bottom_css > inset_top_css;
      edgeTaken ||= onEdge;
      line = { row: origin.row, end_css: 0, onEdge };
    }
    const x = Math.max(x_css, inset_left_css);
    if ((!inPlace && !line.onEdge) || x < line.end_css) continue;
    const full = grid.labelOf(plane);
    const room_css = Math.min(x_css + pitch_css, width_css) - x - 2;
    // The first label of a line is written in full; the others are shortened to fit.
    const fits = first || full.length * CHARACTER_CSS < room_css;
    const text = fits ? full : full.slice(full.lastIndexOf(' ') + 1);
    const size_css = text.length * CHARACTER_CSS;
    if (!first && size_css > room_css) continue;
    context.fillText(text, x, inPlace ? y_css - 3 : inset_top_css - LABEL_ABOVE_CSS);
    line.end_css = x + size_css + 4;
  }
}

/**
 * @param {Context} context
 * @param {LogicalScene} scene
 * @param {Set<Sign>} seen
 */
function drawEmphasis(context, scene, seen) {
  const { painter, viewport, grid, selected, hovered } = scene;
  /**
   * @param {Place} place
   * @param {import('./frames.js').Emphasis} emphasis
   */
  function frame(place, emphasis) {
    if (!isSeen(viewport, place)) return;
    emphasise(context, place, painter.theme, emphasis);
    seen.add(emphasis);
  }
  const chosen = selected === null ? null : rectOf(viewport, grid.cellOf(selected));
  // All elements at the selected address are framed: this shows what a broadcast means.
  for (const place of relatedPlaces(scene)) {
    if (place.x_css !== chosen?.x_css || place.y_css !== chosen.y_css) frame(place, 'related');
  }
  if (hovered !== null) frame(rectOf(viewport, grid.cellOf(hovered)), 'hovered');
  if (chosen === null) return;
  frame(chosen, 'selected');
  if (pointBeyond(context, viewport, chosen, painter.theme)) seen.add('beyond');
}

/**
 * Labels of the coordinates along one edge, per plane.
 * @param {number} first visible cell
 * @param {number} end
 * @param {number} pitch cells from plane to plane
 * @param {number} lead cells before a plane's first
 * @param {number} extent of a plane
 * @param {number} step between labels
 * @param {number} least cells between the labels of two planes
 * @param {(cell: number, coordinate: number) => void} write
 */
function alongEdge(first, end, pitch, lead, extent, step, least, write) {
  // A single 0 above every small plane would say nothing.
  if (step >= extent && extent > 1) return;
  const every = Math.max(1, Math.ceil(least / pitch));
  // Far zoomed out, thousands of millions of planes lie side by side: only those with a label are visited.
  const firstPlane = Math.ceil(Math.floor((first - lead) / pitch) / every) * every;
  for (let plane = firstPlane; plane * pitch < end; plane += every) {
    const start = plane * pitch + lead;
    const from = Math.max(0, Math.ceil((first - start) / step) * step);
    for (let at = from; at < extent && start + at < end; at += step) {
      if (at === 0 || pitch - at >= step * 0.6) write(start + at, at);
    }
  }
}

/**
 * @param {Context} context
 * @param {LogicalScene} scene
 */
function drawEdges(context, { painter, viewport, grid }) {
  const { theme, tensor } = painter;
  const { column_css, row_css, inset_left_css, inset_top_css, height_css, width_css } = viewport;
  const rank = tensor.shape.length;
  if (inset_left_css === 0 || inset_top_css === 0 || rank === 0) return;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  context.textBaseline = 'middle';

  const y_css = inset_top_css - 10;
  const characters = exactText(grid.planeColumns - 1).length;
  const wide = column_css >= characters * CHARACTER_CSS;
  const columnStep = labelStep(column_css, characters * CHARACTER_CSS + 8, false);
  context.textAlign = wide ? 'center' : 'left';
  alongEdge(firstColumn, endColumn, grid.pitchColumns, 0, grid.planeColumns, columnStep, LEAST_PLANE_CSS / column_css, (column, coordinate) => {
    const x = rectOf(viewport, { column, row: 0 }).x_css + (wide ? (column_css - 1) / 2 : 0);
    if (x < inset_left_css || x > width_css - 6) return;
    context.fillText(exactText(coordinate), x, y_css);
  });

  context.textAlign = 'right';
  if (rank > 1) {
    const rowStep = labelStep(row_css, LABEL_FONT_CSS + 4, false);
    alongEdge(firstRow, endRow, grid.pitchRows, grid.lead_rows, grid.planeRows, rowStep, rowStep, (row, coordinate) => {
      const y = rectOf(viewport, { column: 0, row }).y_css + Math.max(row_css - 1, LABEL_FONT_CSS) / 2;
      if (y < inset_top_css + 6 || y > height_css) return;
      context.fillText(exactText(coordinate), inset_left_css - 7, y);
    });
  }
  const names = grid.order.slice(-2).map((dim) => tensor.dims[dim].toLowerCase());
  context.fillText(names.length > 1 ? `${names[0]}\\${names[1]}` : names[0], inset_left_css - 5, y_css);
}
