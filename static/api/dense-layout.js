/** @typedef {import('../core/types.js').Integer} Integer */

/** What the API calls the dimensions of a rank, where it is given strides alone. */
const LETTERS = ['()', 'W', 'HW', 'CHW', 'NCHW', 'NCDHW'];

/**
 * A layout without padding, as the API reads it: by its letters where its rank has some, else by
 * its strides.
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
