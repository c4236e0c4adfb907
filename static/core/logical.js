/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./types.js').LogicalGrid} LogicalGrid */

/**
 * Planes of the last two dimensions, the outer ones wrapped to the aspect (width / height).
 * @param {Tensor} tensor
 * @param {number} [aspect]
 * @returns {LogicalGrid}
 */
export function createLogicalGrid(tensor, aspect) {
  throw new Error('not filled yet');
}
