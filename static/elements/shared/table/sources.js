import { addressOfCell } from '../../../core/grid/memory.js';
import { logicalWords, memoryWords } from '../../../words/cells.js';

/** @import { Cell, LogicalGrid } from '../../../core/types.js' */
/** @import { CellSource, CellWords } from '../../../words/cells.js' */

/**
 * A grid as a table: its rows and columns without the gaps between planes, counted from 1.
 * @typedef {object} TableSource
 * @property {readonly unknown[]} of what the words depend on: while these are the same, so are the words
 * @property {number} rows
 * @property {number} columns
 * @property {(row: number) => number | null} rowOf from a row of the drawn grid; null for a gap
 * @property {(column: number) => number | null} columnOf from a column of the drawn grid; null for a gap
 * @property {(cell: Cell) => CellWords | null} wordsAt null where the grid has no cell
 */

/**
 * @param {CellSource} source
 * @param {number} rowLength_elems
 * @returns {TableSource} of a memory
 */
export function memoryTable(source, rowLength_elems) {
  const { tensor, memory, values, other } = source;
  return {
    of: [tensor, memory, values, other?.tensor, rowLength_elems],
    rows: Math.ceil(tensor.bufferElements / rowLength_elems),
    columns: rowLength_elems,
    rowOf: (row) => row + 1,
    columnOf: (column) => column + 1,
    wordsAt: (cell) => {
      const address = addressOfCell(cell, rowLength_elems);
      return address < tensor.bufferElements ? memoryWords(source, address) : null;
    },
  };
}

/**
 * @param {CellSource} source
 * @param {LogicalGrid} grid
 * @returns {TableSource} of a logical tensor
 */
export function logicalTable(source, grid) {
  const { tensor, memory, values, other } = source;
  const { planeRows, planeColumns, pitchRows, pitchColumns, planesAcross, planes } = grid;
  const lines = Math.round((grid.rows + grid.gap_rows) / pitchRows);
  return {
    of: [tensor, memory, values, other?.tensor, planesAcross],
    rows: planes === 0 ? 0 : lines * planeRows,
    columns: planesAcross * planeColumns,
    rowOf: (row) => placeOf(row, planeRows, pitchRows),
    columnOf: (column) => placeOf(column, planeColumns, pitchColumns),
    wordsAt: ({ column, row }) => {
      const coords = grid.coordsAt(column, row);
      return coords && logicalWords(source, coords);
    },
  };
}

/**
 * @param {number} cell of the drawn grid, along one axis
 * @param {number} size of a plane
 * @param {number} pitch from plane to plane
 * @returns {number | null} counted from 1 without the gaps; null in a gap
 */
function placeOf(cell, size, pitch) {
  const plane = Math.floor(cell / pitch);
  const inside = cell - plane * pitch;
  return plane >= 0 && inside < size ? plane * size + inside + 1 : null;
}
