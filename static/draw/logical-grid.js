/** @import { LogicalScene, Sign, Tensor } from './types.js' */
/** @import { Surface, Sampling } from './surface.js' */
/** @typedef {CanvasRenderingContext2D} Context */
/** @import { Place } from '../core/types.js' */
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { charactersIn, LEAST_BORDERED_CSS } from '../core/grid/zoom.js';
import { drawLogicalBlocks } from './grids/blocks.js';
import { emphasise, FRAME_CSS, isSeen, pointBeyond } from './frames.js';
import {
  beginFrame, createMarks, hatchOf, insideCells, LEAST_OUTLINED_CSS, LEAST_WRITTEN_CSS, separateCells, writeCells,
} from './marks.js';
import { CELL_BUDGET } from './cell-text.js';
import { drawEdges, drawFarEdges, drawPlaneLabels, tickChosen } from './logical-edges.js';
import { paintPlanes } from './planes.js';
import { drawStill, inkFor, laySurface, sampleViewport, surfaceOf } from './surface.js';

/** Padded planes that are smaller have no end, and nobody sees them. */
const LEAST_PLANE_CSS = 24;

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
  if (painter.tensor.elements > 0) tickChosen(context, scene);
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
      drawPadded(context, scene, seen);
      drawLogicalBlocks(context, scene, seen);
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
  const { cell_css, column_css } = viewport;
  if (cell_css < LEAST_OUTLINED_CSS) return;
  const isShared = sharingOf(tensor);
  const textOf = painter.textOf(text, values, charactersIn(column_css));
  const marks = createMarks(cell_css, column_css);
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
        x_css: place.x_css + (column_css - 1) / 2,
        y_css: place.y_css + centre,
        ink: inkFor(word),
      });
    }
  }
  marks.paint(context, theme);
  for (const sign of marks.seen) seen.add(sign);
  if (writeCells(context, labels, viewport, theme)) seen.add('text');
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
 * The planes that padding takes, hatched as it is in memory.
 * @param {Context} context
 * @param {LogicalScene} scene
 * @param {Set<Sign>} seen
 */
function drawPadded(context, { painter: { theme, padding }, viewport, grid }, seen) {
  const { column_css, row_css } = viewport;
  if (grid.planeColumns * column_css < LEAST_PLANE_CSS || grid.planeRows * row_css < LEAST_PLANE_CSS) return;
  for (const place of grid.paddedIn(visibleRange(viewport))) {
    const { x_css, y_css } = rectOf(viewport, place);
    const size = /** @type {const} */ ([grid.planeColumns * column_css, grid.planeRows * row_css]);
    for (const ink of [padding, hatchOf(context, theme.hatch)]) {
      context.fillStyle = ink;
      context.fillRect(x_css, y_css, ...size);
    }
    seen.add('padding');
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
