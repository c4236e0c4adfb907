/** @import { LogicalScene, Tensor } from './types.js' */
/** @typedef {CanvasRenderingContext2D} Context */
import { logicalBlocks } from '../core/grid/blocks.js';
import { planeOrder } from '../core/grid/logical.js';
import { exactText } from '../core/numbers.js';
import { rectOf, visibleRange } from '../core/grid/viewport.js';
import { LEAST_BORDERED_CSS } from '../core/grid/zoom.js';
import { isSeen } from './frames.js';
import { CHARACTER_CSS, LABEL_FONT_CSS, labelStep, writeChosenTick } from './marks.js';

/** The coordinates of columns stand in a line of this height above their cells, a plane's label in one above that. */
const TICKS_CSS = 16;
const LABEL_CSS = 18;
const LEAST_PLANE_CSS = 24;
/** Planes with less height have room for their first row's label alone, which says nothing. */
const LEAST_ROWS_CSS = 36;
const MOST_TICKED_LINES = 256;

/**
 * Room for the coordinates along the edges.
 * @param {Tensor} tensor
 * @param {boolean} named whether the first row says its dimension, as it does where there is room
 * @returns {{label_left_css: number, label_top_css: number}}
 */
export function logicalInsets(tensor, named) {
  const rank = tensor.shape.length;
  const lengths = planeOrder(tensor.dims).map((dim) => exactText(Math.max(0, tensor.shape[dim] - 1)).length);
  const characters = Math.max(rank > 1 ? lengths[rank - 2] + (named ? 2 : 0) : 0, ...lengths.slice(0, -2));
  return { label_left_css: Math.ceil(characters * CHARACTER_CSS) + 10, label_top_css: TICKS_CSS + (rank > 2 ? LABEL_CSS : 4) };
}

/**
 * Where the label of a line of planes stands, and the coordinates of its columns: above its planes, or on the edge of the
 * window for the uppermost one.
 * @param {LogicalScene} scene
 * @param {number} row of the line's first cells
 * @returns {{label_css: number | null, ticks_css: number | null}} the middles; null where there is no room
 */
function linesAbove({ viewport, grid }, row) {
  const { inset_top_css, row_css } = viewport;
  const { y_css } = rectOf(viewport, { column: 0, row });
  const end_css = y_css + grid.planeRows * row_css;
  const labelled = grid.order.length > 2;
  // The line that crosses the upper edge, or begins just below it, has its label and its coordinates there.
  if (y_css - row_css * grid.gap_rows <= inset_top_css) {
    const ticks_css = inset_top_css - TICKS_CSS / 2;
    return end_css <= inset_top_css ? { label_css: null, ticks_css: null } : { label_css: labelled ? ticks_css - LABEL_CSS : null, ticks_css };
  }
  const room_css = grid.gap_rows * row_css;
  if (room_css >= TICKS_CSS + LABEL_CSS - 4) return { label_css: y_css - TICKS_CSS - LABEL_CSS / 2 + 2, ticks_css: y_css - TICKS_CSS / 2 };
  return { label_css: room_css >= LABEL_FONT_CSS ? y_css - room_css / 2 : null, ticks_css: null };
}

/**
 * Labels in the gaps above the planes.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
export function drawPlaneLabels(context, scene) {
  const { painter, viewport, grid } = scene;
  const { column_css, inset_left_css, width_css } = viewport;
  const pitch_css = grid.pitchColumns * column_css;
  if (painter.tensor.shape.length < 3 || pitch_css < LEAST_PLANE_CSS) return;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  let line = { row: NaN, end_css: 0 };
  /**
   * @param {{column: number, row: number}} origin
   * @param {string} full
   * @param {boolean} padded
   */
  function write(origin, full, padded) {
    const { label_css } = linesAbove(scene, origin.row);
    const { x_css } = rectOf(viewport, origin);
    // Of a plane that has left the window, no more than an edge and the gap behind it are seen.
    if (x_css + grid.planeColumns * column_css <= inset_left_css + LABEL_FONT_CSS / 2) return;
    const first = origin.row !== line.row;
    if (first) line = { row: origin.row, end_css: 0 };
    const x = Math.max(x_css, inset_left_css);
    if (label_css === null || x < line.end_css) return;
    const room_css = Math.min(x_css + pitch_css, width_css) - x - 2;
    // The first label of a line is written in full; the others are shortened to fit.
    const fits = first || full.length * CHARACTER_CSS < room_css;
    const text = fits ? full : padded ? full.split(',')[0] : full.split(' ').slice(-2).join(' ');
    const size_css = text.length * CHARACTER_CSS;
    if (!first && size_css > room_css) return;
    context.font = `${padded ? '' : '600 '}${LABEL_FONT_CSS}px ${painter.theme.font}`;
    context.fillStyle = padded ? painter.theme.muted : painter.theme.text;
    context.fillText(text, x, label_css);
    line.end_css = x + size_css + 4;
  }
  const range = visibleRange(viewport);
  for (const plane of grid.planesIn(range)) write(grid.originOf(plane), grid.labelOf(plane), false);
  for (const place of grid.paddedIn(range)) write(place, place.text, true);
  pointOn(context, scene);
}

/**
 * Arrows on the line of the labels where the window hides planes, with the name of the next one to the right, and of
 * the next group of planes where one begins in the same line.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
function pointOn(context, scene) {
  const { painter: { tensor, theme }, viewport, grid } = scene;
  const { column_css, inset_left_css, width_css, left_cells } = viewport;
  const row = Math.floor(visibleRange(viewport).firstRow / grid.pitchRows) * grid.pitchRows;
  const { label_css } = linesAbove(scene, row);
  if (label_css === null) return;
  context.font = `600 ${LABEL_FONT_CSS}px ${theme.font}`;
  context.textAlign = 'right';
  /** @param {string} text @param {number} x_css */
  const write = (text, x_css) => {
    context.fillStyle = theme.background;
    context.fillRect(x_css - (text.length + 1) * CHARACTER_CSS, label_css - LABEL_FONT_CSS / 2 - 1, (text.length + 1) * CHARACTER_CSS, LABEL_FONT_CSS + 2);
    context.fillStyle = theme.text;
    context.fillText(text, x_css, label_css);
  };
  const dim = grid.order[grid.order.length - 3];
  const pitch_css = grid.pitchColumns * column_css;
  const first_css = rectOf(viewport, { column: 0, row }).x_css;
  const place = Math.ceil((width_css - LEAST_PLANE_CSS - first_css) / pitch_css);
  if (place < grid.planesAcross) {
    /** @param {number} there place of a plane @param {number} named the dimension that tells it from the one before */
    const nameAt = (there, named) => {
      const coords = there < grid.planesAcross ? grid.coordsAt(there * grid.pitchColumns, row) : null;
      return coords ? `${tensor.dims[named].toLowerCase()} ${exactText(coords[named])} ` : '';
    };
    const name = nameAt(place, dim);
    const start = Math.ceil(place / grid.slots) * grid.slots;
    const group = grid.order.length > 3 ? nameAt(start, grid.order[grid.order.length - 4]) : '';
    const both = group && (start === place ? group + name : `${name}\u2026 ${group}`);
    // The label of the plane before it has its place first.
    const free_css = width_css - first_css - (place - 1) * pitch_css - grid.labelOf(grid.planes - 1).length * CHARACTER_CSS;
    const fitting = [both, name].find((text) => (text.length + 2) * CHARACTER_CSS < free_css && text !== '') ?? '';
    write(`${fitting}\u203a`, width_css - 2);
  }
  if (left_cells >= grid.pitchColumns / 2) write('\u2039', inset_left_css - 4);
}

/**
 * Where planes have no room for labels of their own: which planes lie along the edges, at ticks.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
export function drawFarEdges(context, scene) {
  const { painter, viewport, grid } = scene;
  const { column_css, row_css, inset_left_css, inset_top_css, width_css, height_css } = viewport;
  const { theme, tensor } = painter;
  const { pitchColumns, pitchRows, planesAcross } = grid;
  if (tensor.shape.length < 3) return;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  const firstLine = Math.max(0, Math.floor((firstRow) / pitchRows));
  const blocks = logicalBlocks(tensor, grid);
  if (pitchColumns * column_css < LEAST_PLANE_CSS) {
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    const labelOf = farLabels(grid, tensor.dims);
    const wide_css = (grid.labelOf(grid.planes - 1).length + 2) * CHARACTER_CSS;
    const step = planeStep(grid, labelStep(pitchColumns * column_css, wide_css, false, [blocks.places]));
    const first = Math.ceil(firstColumn / pitchColumns / step) * step;
    for (let place = first; place < planesAcross && place * pitchColumns < endColumn; place += step) {
      const plane = grid.planeIn(firstLine, place);
      const { x_css } = rectOf(viewport, { column: place * pitchColumns, row: 0 });
      if (plane < 0 || x_css + wide_css > width_css) continue;
      context.fillText(labelOf(plane, place), x_css, inset_top_css - TICKS_CSS - 4);
      context.fillRect(x_css, inset_top_css - 8, 1, 6);
    }
  }
  const close = pitchRows * row_css < LEAST_ROWS_CSS;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const lines = labelStep(pitchRows * row_css, LABEL_FONT_CSS + 4, false, blocks.lines);
  const most = Math.floor((inset_left_css - 8) / CHARACTER_CSS);
  for (let line = Math.ceil(firstLine / lines) * lines; line * pitchRows < endRow; line += lines) {
    if (!close && !isNamedBeside(scene, line * pitchRows)) continue;
    const [plane, other] = [grid.planeIn(line, 0), grid.planeIn(line > 0 ? line - 1 : 1, 0)];
    const y_css = rectOf(viewport, { column: 0, row: line * pitchRows }).y_css + LABEL_FONT_CSS / 2;
    if (plane < 0 || y_css < inset_top_css || y_css > height_css) continue;
    // The dimension in which a line differs from its neighbour.
    const [here, there] = [plane, other].map((one) => (one < 0 ? [] : grid.outerOf(one)));
    const at = Math.max(0, here.findIndex((coordinate, dim) => coordinate !== there[dim]));
    const value = exactText(here[at]);
    const name = tensor.dims[grid.order[at]].toLowerCase();
    const text = [`${name} ${value}`, `${name}${value}`].find(({ length }) => length <= most) ?? value;
    context.fillText(text, inset_left_css - 7, y_css);
    context.fillRect(inset_left_css - 5, y_css - LABEL_FONT_CSS / 2, 4, 1);
  }
}

/**
 * Whether the first plane of a line is named at its left, because there is no room above it.
 * @param {LogicalScene} scene
 * @param {number} row of the line's first cells
 */
function isNamedBeside(scene, row) {
  return row > 0 && scene.grid.order.length > 2 && linesAbove(scene, row).label_css === null;
}

/**
 * What stands above a far column of planes. Lines below each other differ in the dimension before the last: a column says
 * how much it adds to what stands beside its line.
 * @param {import('../core/types.js').LogicalGrid} grid
 * @param {readonly string[]} dims
 * @returns {(plane: number, place: number) => string}
 */
function farLabels({ order, planes, planesAcross, slots, outerOf, labelOf }, dims) {
  if (order.length < 4 || planes <= planesAcross) return labelOf;
  const [before, last] = order.slice(-4, -2).map((dim) => dims[dim].toLowerCase());
  return (plane, place) => {
    const more = Math.floor(place / slots);
    return `${more > 0 ? `${before}+${exactText(more)} ` : ''}${last} ${exactText(outerOf(plane).at(-1) ?? 0)}`;
  };
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
 * The coordinates of the chosen cell in its plane, in bold beside it.
 * @param {Context} context
 * @param {LogicalScene} scene
 */
export function tickChosen(context, scene) {
  const { painter, viewport, grid, selected } = scene;
  const { cell_css, inset_left_css, label_left_css } = viewport;
  if (selected === null || selected.length === 0 || label_left_css === 0 || cell_css < LEAST_BORDERED_CSS) return;
  const cell = grid.cellOf(selected);
  const place = rectOf(viewport, cell);
  const { ticks_css } = linesAbove(scene, Math.floor(cell.row / grid.pitchRows) * grid.pitchRows);
  if (!isSeen(viewport, place)) return;
  const [row, column] = tickTexts(scene).map((text, at) => text(selected[[-1, ...grid.order].slice(-2)[at]] ?? 0));
  if (ticks_css !== null) writeChosenTick(context, painter.theme, column, place.x_css + (place.wide_css - 1) / 2, ticks_css, 'center');
  if (painter.tensor.shape.length > 1) writeChosenTick(context, painter.theme, row, inset_left_css - 6, place.y_css + Math.max(cell_css - 1, LABEL_FONT_CSS) / 2, 'right');
}

/**
 * What stands at a coordinate of rows and of columns: the first one says its dimension, "h 0" or "h0", where there is room.
 * @param {LogicalScene} scene
 */
function tickTexts({ painter, grid, viewport: { column_css, inset_left_css } }) {
  const [row, column] = ['', ...grid.order.map((dim) => painter.tensor.dims[dim].toLowerCase())].slice(-2);
  /** @param {string} name @param {number} room_css @returns {(coordinate: number) => string} */
  const text = (name, room_css) => {
    const first = [`${name} 0`, `${name}0`].find(({ length }) => length * CHARACTER_CSS <= room_css) ?? '0';
    return (coordinate) => (coordinate === 0 ? first : exactText(coordinate));
  };
  return [text(row, inset_left_css - 8.1), text(column, column_css)];
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
export function drawEdges(context, scene) {
  const { painter, viewport, grid } = scene;
  const { theme, tensor } = painter;
  const { column_css, row_css, inset_left_css, inset_top_css, height_css, width_css } = viewport;
  const rank = tensor.shape.length;
  if (inset_left_css === 0 || inset_top_css === 0 || rank === 0) return;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  const [rowText, columnText] = tickTexts(scene);
  // Where no row has room for it, the name of the rows stands above them.
  const rowName = rank > 1 && rowText(0) === '0' ? tensor.dims[grid.order[rank - 2]].toLowerCase() : '';
  context.font = `${LABEL_FONT_CSS}px ${theme.font}`;
  context.fillStyle = theme.muted;
  context.textBaseline = 'middle';

  const blocks = logicalBlocks(tensor, grid);
  const characters = exactText(grid.planeColumns - 1).length;
  const wide = column_css >= characters * CHARACTER_CSS;
  const columnStep = labelStep(column_css, characters * CHARACTER_CSS + 8, false, [blocks.columns]);
  const firstLine = Math.max(0, Math.floor(firstRow / grid.pitchRows));
  for (let line = firstLine; line * grid.pitchRows < endRow && line - firstLine < MOST_TICKED_LINES; line += 1) {
    const { ticks_css } = linesAbove(scene, line * grid.pitchRows);
    if (ticks_css === null) continue;
    context.textAlign = 'right';
    context.fillText(rowName, inset_left_css - 6, ticks_css);
    context.textAlign = wide ? 'center' : 'left';
    alongEdge(firstColumn, endColumn, grid.pitchColumns, 0, grid.planeColumns, columnStep, LEAST_PLANE_CSS / column_css, (column, coordinate) => {
      const place = Math.floor(column / grid.pitchColumns);
      const x = rectOf(viewport, { column, row: 0 }).x_css + (wide ? (column_css - 1) / 2 : 0);
      if (x < inset_left_css || x > width_css - 6 || grid.planeIn(line, place) < 0) return;
      // It would touch the first of the next plane.
      if (!wide && coordinate > 0 && (grid.pitchColumns - coordinate) * column_css < characters * CHARACTER_CSS + 6) return;
      context.fillText(columnText(coordinate), x, ticks_css);
    });
  }

  context.textAlign = 'right';
  // Where planes are too low for rows, drawFarEdges says there which planes they are.
  if (rank < 2 || (rank > 2 && grid.pitchRows * row_css < LEAST_ROWS_CSS)) return;
  const rowStep = labelStep(row_css, LABEL_FONT_CSS + 3, false, [blocks.rows]);
  alongEdge(firstRow, endRow, grid.pitchRows, 0, grid.planeRows, rowStep, rowStep, (row, coordinate) => {
    const y = rectOf(viewport, { column: 0, row }).y_css + Math.max(row_css - 1, LABEL_FONT_CSS) / 2;
    if (y < inset_top_css + 6 || y > height_css || (coordinate === 0 && isNamedBeside(scene, row))) return;
    context.fillText(rowText(coordinate), inset_left_css - 6, y);
  });
}
