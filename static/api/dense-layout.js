/** @import { Integer } from '../core/types.js' */

/** @type {readonly string[]} the engine's names of row-major memory, by rank */
let names = [];

/**
 * Sets these names. Called once, when the page starts.
 * @param {readonly string[]} listed
 */
export function nameRowMajor(listed) {
  names = listed;
}

/**
 * @param {number} rank
 * @returns {string | null} row-major memory in letters; null where the rank has no name
 */
export function rowMajor(rank) {
  return names[rank] ?? null;
}

/**
 * The text of a layout without padding: letters where the rank has default names, else strides.
 * @param {readonly Integer[]} shape
 * @param {'row-major' | 'column-major'} [order]
 * @returns {string}
 */
export function denseLayout(shape, order = 'row-major') {
  const named = rowMajor(shape.length);
  if (named !== null && (order === 'row-major' || shape.length === 0)) return named;
  const sizes = order === 'row-major' ? [...shape].reverse() : shape;
  let step = 1n;
  const strides = sizes.map((size) => {
    const stride = step;
    step *= BigInt(size) || 1n;
    return stride;
  });
  return (order === 'row-major' ? strides.reverse() : strides).join(',');
}
