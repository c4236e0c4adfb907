/** @typedef {import('../core/types.js').Integer} Integer */

/** The API's default names of the dimensions, by rank. */
const LETTERS = ['()', 'W', 'HW', 'CHW', 'NCHW', 'NCDHW'];

/**
 * The text of a layout without padding: letters where the rank has default names, else strides.
 * @param {readonly Integer[]} shape
 * @param {'row-major' | 'column-major'} [order]
 * @returns {string}
 */
export function denseLayout(shape, order = 'row-major') {
  if (shape.length === 0 || (order === 'row-major' && shape.length < LETTERS.length)) return LETTERS[shape.length];
  const sizes = order === 'row-major' ? [...shape].reverse() : shape;
  let step = 1n;
  const strides = sizes.map((size) => {
    const stride = step;
    step *= BigInt(size) || 1n;
    return stride;
  });
  return (order === 'row-major' ? strides.reverse() : strides).join(',');
}
