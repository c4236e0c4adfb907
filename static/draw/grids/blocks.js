/** @import { LogicalScene, MemoryScene, Sign, Viewport } from '../types.js' */
/** @typedef {CanvasRenderingContext2D} Context */
import { logicalBlocks, memoryBlocks } from '../../core/grid/blocks.js';
import { rectOf, visibleRange } from '../../core/grid/viewport.js';
import { LEAST_BORDERED_CSS } from '../../core/grid/zoom.js';

/** Edges that are nearer to each other would hide the cells. */
const LEAST_BLOCK_CSS = 12;
/** Wider ones have more space between them. */
const LEAST_ROOMY_CSS = 24;
/** Planes that are farther apart keep their cells whole: a line stands between them. */
const LEAST_APART_CSS = 5;

/** @param {readonly number[]} steps @param {number} side_css of one @returns {number} the shortest that has room; 0 for none */
function shortest(steps, side_css) {
  return steps.find((step) => step * side_css >= LEAST_BLOCK_CSS) ?? 0;
}

/**
 * @param {number} first
 * @param {number} end
 * @param {number} step 0 for none
 * @returns {number[]} the multiples of the step between them, without 0
 */
function multiples(first, end, step) {
  const from = Math.max(1, Math.ceil(first / step));
  return step > 0 ? Array.from({ length: Math.max(0, Math.ceil(end / step) - from) }, (_, at) => (from + at) * step) : [];
}

/**
 * @param {number} first cell in view
 * @param {number} end
 * @param {number} pitch cells from plane to plane
 * @param {number} extent of a plane
 * @param {number} block cells of one in a plane; 0 for none
 * @returns {number[]} where a block begins within a plane
 */
function within(first, end, pitch, extent, block) {
  const planes = block > 0 ? Math.ceil(end / pitch) : 0;
  const from = Math.floor(first / pitch);
  return Array.from({ length: Math.max(0, planes - from) }, (_, at) => (from + at) * pitch)
    .flatMap((start) => multiples(first - start, Math.min(extent, end - start), block).map((at) => start + at));
}

/**
 * Lines over all cells, in one path.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {readonly number[]} x_css the middles of upright ones
 * @param {readonly number[]} y_css
 * @param {(edges: readonly number[]) => number} wide_css
 */
function fillEdges(context, { inset_left_css, inset_top_css, width_css, height_css }, x_css, y_css, wide_css) {
  const [x_wide, y_wide] = [wide_css(x_css), wide_css(y_css)];
  context.beginPath();
  for (const x of x_css) context.rect(Math.round(x - x_wide / 2), inset_top_css, x_wide, height_css);
  for (const y of y_css) context.rect(inset_left_css, Math.round(y - y_wide / 2), width_css, y_wide);
  context.fill();
}

/**
 * A space over all cells, taken from those on either side.
 * @param {Context} context
 * @param {MemoryScene | LogicalScene} scene
 * @param {readonly number[]} x_css
 * @param {readonly number[]} y_css
 * @param {Set<Sign>} seen
 */
function separateBlocks(context, { viewport, painter: { theme } }, x_css, y_css, seen) {
  context.fillStyle = theme.background;
  const most_css = viewport.cell_css < LEAST_BORDERED_CSS ? 4 : 3;
  fillEdges(context, viewport, x_css, y_css, (edges) => (edges.length > 1 && edges[1] - edges[0] < LEAST_ROOMY_CSS ? 2 : most_css));
  if (x_css.length + y_css.length > 0) seen.add('blocks');
}

/**
 * Where blocks begin among the planes of the logical tensor, and within them. Where planes are far apart, a line between
 * them says so.
 * @param {Context} context
 * @param {LogicalScene} scene
 * @param {Set<Sign>} seen
 */
export function drawLogicalBlocks(context, scene, seen) {
  const { painter, viewport, grid } = scene;
  const { column_css, row_css } = viewport;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const { pitchColumns, pitchRows, planeColumns, planeRows } = grid;
  const gap_css = Math.min(grid.gap_columns * column_css, grid.gap_rows * row_css);
  const blocks = logicalBlocks(painter.tensor, grid);
  const places = pitchColumns * shortest([blocks.places], pitchColumns * column_css);
  const lines = pitchRows * shortest(blocks.lines.filter((line) => line > 1), pitchRows * row_css);
  const columns = within(firstColumn, endColumn, pitchColumns, planeColumns, shortest([blocks.columns], column_css));
  const rows = within(firstRow, endRow, pitchRows, planeRows, shortest([blocks.rows], row_css));
  /** @param {number} column */
  const x = (column) => rectOf(viewport, { column, row: 0 }).x_css - 0.5;
  /** @param {number} row */
  const y = (row) => rectOf(viewport, { column: 0, row }).y_css - 0.5;
  const besides = multiples(firstColumn, endColumn + grid.gap_columns, places).map((at) => x(at - grid.gap_columns / 2));
  // Labels stand in the lower part of a wide gap.
  const below = multiples(firstRow, endRow + grid.gap_rows, lines).map((at) => y(at) - Math.max(gap_css / 2, grid.gap_rows * row_css - 3));
  const apart = gap_css > LEAST_APART_CSS;
  separateBlocks(context, scene, [...columns.map(x), ...(apart ? [] : besides)], [...rows.map(y), ...(apart ? [] : below)], seen);
  if (!apart) return;
  context.fillStyle = painter.theme.muted;
  fillEdges(context, viewport, besides, below, () => 1);
}

/**
 * Where blocks begin in memory.
 * @param {Context} context
 * @param {MemoryScene} scene
 * @param {Set<Sign>} seen
 */
export function drawMemoryBlocks(context, scene, seen) {
  const { painter, viewport, rowLength_elems } = scene;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const { columns, rows } = memoryBlocks(painter.tensor, rowLength_elems);
  const beside = multiples(firstColumn, endColumn, shortest(columns, viewport.column_css));
  const below = multiples(firstRow, endRow, shortest(rows, viewport.row_css));
  const x_css = beside.map((column) => rectOf(viewport, { column, row: 0 }).x_css - 0.5);
  const y_css = below.map((row) => rectOf(viewport, { column: 0, row }).y_css - 0.5);
  separateBlocks(context, scene, x_css, y_css, seen);
}
