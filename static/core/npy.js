
/**
 * Reads a .npy file (versions 1 to 3). Error with the reason for anything else.
 * @param {ArrayBuffer} buffer
 * @returns {{shape: number[], dtype: string, fortranOrder: boolean, values: ArrayLike<number> | ArrayLike<bigint>}} values in file order; dtype as the API names it
 */
export function parseNpy(buffer) {
  throw new Error('not filled yet');
}

/**
 * Values in logical row-major order, whatever the file's order.
 * @param {{shape: readonly number[], fortranOrder: boolean, values: ArrayLike<number> | ArrayLike<bigint>}} array
 * @returns {ArrayLike<number> | ArrayLike<bigint>}
 */
export function toRowMajor(array) {
  throw new Error('not filled yet');
}
