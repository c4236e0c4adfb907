/** @typedef {import('./types.js').LogicalScene} LogicalScene */

/**
 * Draws the planes of the logical tensor, with coordinates on their edges.
 * @param {CanvasRenderingContext2D} context its canvas measures width_css * pixelRatio
 * @param {LogicalScene} scene
 */
export function drawLogical(context, scene) {
  throw new Error('not filled yet');
}
