/** @import { LogicalScene } from './types.js' */
/** @import { Surface, Sampling } from './surface.js' */
import { weighted } from '../core/shape.js';
import { fillSquares, searchesOf } from './surface.js';

const VACANT = -1;

/**
 * Sums of the colour weights over the outer dimensions, for planes side by side.
 *
 * Neighbours differ only in the last outer coordinate, so only the first plane of a group is decoded.
 * @param {LogicalScene} scene
 * @param {(dim: number, coordinate: number) => number} firstAlong
 */
function createPlaneSums({ painter, grid }, firstAlong) {
  const { tensor, hue, light, masks } = painter;
  const { shape } = tensor;
  const outer = grid.order.slice(0, -2);
  const last = outer.length - 1;
  const group = last >= 0 ? shape[outer[last]] : 1;
  const outerHue = outer.map((dim) => hue[dim]);
  const outerLight = outer.map((dim) => light[dim]);
  const outerMasks = masks.filter(({ dim }) => outer.includes(dim));
  /** @type {number[]} */
  let coords = [];
  let known = VACANT;
  const before = { hue: 0, light: 0 };
  const sums = { hue: 0, light: 0, inside: true };

  /** @param {number} plane */
  function move(plane) {
    const ahead = plane - known;
    if (known === VACANT || ahead < 0 || coords[last] + ahead >= group) {
      coords = grid.outerOf(plane);
      const owner = coords.slice(0, -1).map((coordinate, place) => firstAlong(outer[place], coordinate));
      before.hue = weighted(outerHue, owner);
      before.light = weighted(outerLight, owner);
    } else if (ahead > 0) {
      coords[last] += ahead;
    }
    const member = last < 0 ? 0 : firstAlong(outer[last], coords[last]);
    sums.hue = before.hue + (last < 0 ? 0 : outerHue[last] * member);
    sums.light = before.light + (last < 0 ? 0 : outerLight[last] * member);
    known = plane;
    sums.inside = true;
    for (const { dim, inside } of outerMasks) sums.inside &&= inside(coords[outer.indexOf(dim)]);
    return sums;
  }
  return move;
}

/**
 * Writes the visible planes as pixels. The cost depends on the pixels, not on the number of planes.
 * @param {LogicalScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 */
export function paintPlanes(scene, surface, sampling) {
  const { firstAlong } = scene.painter.tensor;
  if (firstAlong === null) paintSearched(scene, surface, sampling);
  else paintSummed(scene, surface, sampling, firstAlong);
}

/**
 * A gap between planes that is narrower than a pixel is not drawn: one pixel in some would meet it, and show
 * lines where nothing is.
 * @param {number} pitch cells from plane to plane
 * @param {number} extent of a plane
 * @param {number} step cells of a pixel
 * @returns {(within: number) => number} the place in a plane, from 0
 */
function bridge(pitch, extent, step) {
  return step > pitch - extent ? (within) => Math.min(within, extent - 1) : (within) => within;
}

/** @param {number} value @param {number} by */
function mod(value, by) {
  return ((value % by) + by) % by;
}

/**
 * Where strides interleave: every pixel's element is looked up, and who owns its address.
 * @param {LogicalScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 */
function paintSearched({ painter, grid }, { words, width_px, height_px }, { firstColumn, firstRow, step_cells, step_rows }) {
  const bridgeColumns = bridge(grid.pitchColumns, grid.planeColumns, step_cells);
  const bridgeRows = bridge(grid.pitchRows, grid.planeRows, step_rows);
  const { side_px, budget } = searchesOf(painter, width_px * height_px);
  for (let y_px = 0; y_px < height_px; y_px += side_px) {
    const below = Math.floor(firstRow + y_px * step_rows);
    const row = below - mod(below, grid.pitchRows) + bridgeRows(mod(below, grid.pitchRows));
    for (let x_px = 0; x_px < width_px; x_px += side_px) {
      const right = Math.floor(firstColumn + x_px * step_cells);
      const within = right % grid.pitchColumns;
      const coords = grid.coordsAt(right - within + bridgeColumns(within), row);
      const faded = coords === null || painter.isMember(coords) ? 0 : painter.faded;
      words[y_px * width_px + x_px] = coords === null ? 0 : painter.wordOf(coords, faded, budget);
    }
    if (side_px > 1) fillSquares(words, width_px, y_px * width_px, width_px, side_px);
  }
}

/**
 * Where each dimension adds its own part to an element's colour.
 * @param {LogicalScene} scene
 * @param {Surface} surface
 * @param {Sampling} sampling
 * @param {(dim: number, coordinate: number) => number} firstAlong
 */
function paintSummed(scene, { words, width_px, height_px }, { firstColumn, firstRow, step_cells, step_rows }, firstAlong) {
  const { painter, grid } = scene;
  const { hue, light, masks, tensor } = painter;
  const { planeColumns, planeRows, pitchColumns, pitchRows } = grid;
  const rank = tensor.shape.length;
  const columnDim = grid.order[rank - 1];
  const rowDim = grid.order[rank - 2];
  const columnHue = rank > 0 ? hue[columnDim] : 0;
  const columnLight = rank > 0 ? light[columnDim] : 0;
  const rowHue = rank > 1 ? hue[rowDim] : 0;
  const rowLight = rank > 1 ? light[rowDim] : 0;
  const rowMask = masks.find(({ dim }) => dim === rowDim);
  const columnMask = masks.find(({ dim }) => dim === columnDim);

  const bridgeColumns = bridge(pitchColumns, planeColumns, step_cells);
  const bridgeRows = bridge(pitchRows, planeRows, step_rows);
  const firstPlace = Math.floor(firstColumn / pitchColumns);
  const placeOf = new Int32Array(width_px);
  const columnOf = new Float64Array(width_px);
  const columnInside = new Uint8Array(width_px).fill(1);
  for (let x_px = 0; x_px < width_px; x_px += 1) {
    const column = Math.floor(firstColumn + x_px * step_cells);
    const place = Math.floor(column / pitchColumns);
    const within = bridgeColumns(column - place * pitchColumns);
    placeOf[x_px] = place - firstPlace;
    columnOf[x_px] = within >= planeColumns ? VACANT : rank > 0 ? firstAlong(columnDim, within) : 0;
    if (columnMask !== undefined && !columnMask.inside(within)) columnInside[x_px] = 0;
  }

  const planeSums = createPlaneSums(scene, firstAlong);
  // Runs of pixels within one plane. Far zoomed out, most planes lie between two pixels: only planes
  // that have a pixel are decoded.
  const runStart = new Int32Array(width_px);
  const runEnd = new Int32Array(width_px);
  let slots = 0;
  for (let x_px = 0; x_px < width_px; x_px += 1) {
    if (columnOf[x_px] === VACANT) continue;
    if (slots === 0 || placeOf[runStart[slots - 1]] !== placeOf[x_px]) {
      runStart[slots] = x_px;
      slots += 1;
    }
    runEnd[slots - 1] = x_px + 1;
  }
  const hues = new Float64Array(slots);
  const lights = new Float64Array(slots);
  const states = new Int8Array(slots);
  let decodedLine = VACANT;
  const sums = { hue: 0, light: 0, hueStep: columnHue, lightStep: columnLight, inside: true };

  for (let y_px = 0; y_px < height_px; y_px += 1) {
    const row = Math.floor(firstRow + y_px * step_rows);
    const line = Math.floor(row / pitchRows);
    const within = bridgeRows(row - line * pitchRows);
    const at = y_px * width_px;
    if (within >= planeRows) {
      words.fill(0, at, at + width_px);
      continue;
    }
    if (line !== decodedLine) {
      decodedLine = line;
      for (let slot = 0; slot < slots; slot += 1) {
        const plane = grid.planeIn(line, firstPlace + placeOf[runStart[slot]]);
        states[slot] = VACANT;
        if (plane < 0) continue;
        const first = planeSums(plane);
        hues[slot] = first.hue;
        lights[slot] = first.light;
        states[slot] = first.inside ? 1 : 0;
      }
    }
    words.fill(0, at, at + width_px);
    const firstRowHere = rank > 1 ? firstAlong(rowDim, within) : 0;
    const rowInside = rowMask === undefined || rowMask.inside(within);
    for (let slot = 0; slot < slots; slot += 1) {
      if (states[slot] === VACANT) continue;
      sums.hue = hues[slot] + firstRowHere * rowHue;
      sums.light = lights[slot] + firstRowHere * rowLight;
      sums.inside = rowInside && states[slot] === 1;
      painter.paintRun(sums, columnOf, columnInside, words, at, runStart[slot], runEnd[slot]);
    }
  }
}
