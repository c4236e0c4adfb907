/**
 * Row-major arithmetic of a shape: the last dimension runs fastest.
 */

/**
 * @param {readonly number[]} sizes
 * @returns {number} 1 for none
 */
export function productOf(sizes) {
  return sizes.reduce((product, size) => product * size, 1);
}

/**
 * What one step along each dimension adds to the row-major index.
 * @param {readonly number[]} shape
 * @returns {number[]}
 */
export function rowMajorWeights(shape) {
  const weights = new Array(shape.length).fill(1);
  for (let dim = shape.length - 2; dim >= 0; dim -= 1) weights[dim] = weights[dim + 1] * shape[dim + 1];
  return weights;
}

/**
 * @param {readonly number[]} shape
 * @param {readonly number[]} coords further ones are not looked at
 * @returns {number} row-major index
 */
export function linearOf(shape, coords) {
  let linear = 0;
  for (let dim = 0; dim < shape.length; dim += 1) linear = linear * shape[dim] + coords[dim];
  return linear;
}

/**
 * @param {readonly number[]} shape without a size of 0
 * @param {number} linear row-major index
 * @returns {number[]}
 */
export function coordsOf(shape, linear) {
  const coords = new Array(shape.length).fill(0);
  let rest = linear;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    const outer = Math.floor(rest / shape[dim]);
    coords[dim] = rest - outer * shape[dim];
    rest = outer;
  }
  return coords;
}

/**
 * Moves coordinates to the next in row-major order, in place. After the last come zeros.
 * @param {number[]} coords
 * @param {readonly number[]} shape
 * @returns {number} the dimension that was increased, those after it being 0 again; -1 after the last
 */
export function advance(coords, shape) {
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    coords[dim] += 1;
    if (coords[dim] < shape[dim]) return dim;
    coords[dim] = 0;
  }
  return -1;
}

/**
 * @param {readonly number[]} shape
 * @param {readonly number[]} coords as many, none negative
 * @returns {boolean}
 */
export function contains(shape, coords) {
  for (let dim = 0; dim < shape.length; dim += 1) if (coords[dim] >= shape[dim]) return false;
  return true;
}

/**
 * The coordinates in another shape: aligned at the last dimension, as sizes are in broadcasting.
 * @param {readonly number[]} shape without a size of 0
 * @param {readonly number[]} coords
 * @returns {number[]} 0 where there are none, the last index where they lie outside
 */
export function alignedCoords(shape, coords) {
  return shape.map((size, dim) => Math.min(coords[coords.length - shape.length + dim] ?? 0, size - 1));
}

/**
 * @param {readonly number[]} weights one per dimension
 * @param {readonly number[]} coords
 * @returns {number} Σ weight · coordinate
 */
export function weighted(weights, coords) {
  let sum = 0;
  for (let dim = 0; dim < coords.length; dim += 1) sum += weights[dim] * coords[dim];
  return sum;
}
