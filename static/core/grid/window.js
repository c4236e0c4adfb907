/** @import { Cell, CellRange } from '../types.js' */

/**
 * The part of a range that a table of at most `most` cells shows: the whole range where it is small
 * enough, else a part around the cell, or at the start of the range where the cell is not in it.
 * @param {CellRange} range
 * @param {Cell | null} cell
 * @param {number} most cells, at least 1
 * @returns {CellRange}
 */
export function windowOf({ firstColumn, endColumn, firstRow, endRow }, cell, most) {
  const columns = Math.max(0, Math.ceil(endColumn) - firstColumn);
  const rows = Math.max(0, Math.ceil(endRow) - firstRow);
  const across = Math.min(columns, Math.max(Math.floor(Math.sqrt(most)), Math.floor(most / Math.max(1, rows))));
  const down = Math.min(rows, Math.floor(most / Math.max(1, across)));
  const inside = cell !== null && holdsCell({ firstColumn, endColumn, firstRow, endRow }, cell);
  const left = inside ? startOf(cell.column, firstColumn, columns, across) : firstColumn;
  const top = inside ? startOf(cell.row, firstRow, rows, down) : firstRow;
  return { firstColumn: left, endColumn: left + across, firstRow: top, endRow: top + down };
}

/**
 * @param {CellRange} range
 * @param {Cell} cell
 */
export function holdsCell({ firstColumn, endColumn, firstRow, endRow }, { column, row }) {
  return column >= firstColumn && column < endColumn && row >= firstRow && row < endRow;
}

/**
 * @param {number} cell along one axis
 * @param {number} first of the range
 * @param {number} count of the range
 * @param {number} shown at most count
 * @returns {number} the first that is shown, with the cell in the middle as far as the range reaches
 */
function startOf(cell, first, count, shown) {
  return Math.max(first, Math.min(cell - Math.floor(shown / 2), first + count - shown));
}
