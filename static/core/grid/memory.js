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
