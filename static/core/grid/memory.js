/** @import { Cell, Tensor } from '../types.js' */

/**
 * The size of the memory grid in cells.
 * @param {Tensor} tensor
 * @param {number} rowLength_elems
 * @returns {{columns: number, rows: number}}
 */
export function memoryExtent(tensor, rowLength_elems) {
  return {
    columns: rowLength_elems,
    rows: Math.max(1, Math.ceil(tensor.bufferElements / rowLength_elems)),
  };
}

/**
 * The size of a memory grid beside another: both begin at the same distance from their window's edge. Where their rows
 * have one length, both have the size of the larger one, so that the same place in both windows is the same address.
 * @template {{columns: number, rows: number, label_left_css: number}} Size
 * @param {Size} own
 * @param {Size} other
 * @returns {Size}
 */
export function sizeBeside(own, other) {
  return {
    ...own,
    rows: other.columns === own.columns ? Math.max(own.rows, other.rows) : own.rows,
    label_left_css: Math.max(own.label_left_css, other.label_left_css),
  };
}

/**
 * @param {number} address
 * @param {number} rowLength_elems
 * @returns {Cell}
 */
export function cellOfAddress(address, rowLength_elems) {
  const row = Math.floor(address / rowLength_elems);
  return { column: address - row * rowLength_elems, row };
}

/**
 * @param {Cell} cell
 * @param {number} rowLength_elems
 * @returns {number} may lie beyond the buffer
 */
export function addressOfCell({ column, row }, rowLength_elems) {
  return row * rowLength_elems + column;
}
