/** @typedef {import('./types.js').DescriptionJson} DescriptionJson */
/** @typedef {import('./types.js').Tensor} Tensor */

/**
 * Layout arithmetic of a Description. RangeError beyond 2^53 or with a swizzle.
 * @param {DescriptionJson} description
 * @returns {Tensor}
 */
export function createTensor(description) {
  throw new Error('not filled yet');
}
