/** @typedef {import('./types.js').MemoryScene} MemoryScene */

/**
 * Draws the memory grid over the whole canvas, with addresses on its edges.
 * @param {CanvasRenderingContext2D} context its canvas measures width_css * pixelRatio
 * @param {MemoryScene} scene
 */
export function drawMemory(context, scene) {
  throw new Error('not filled yet');
}
