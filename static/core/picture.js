
/**
 * Red, green and blue planes of RGBA pixels over white, shape (1, 3, H, W).
 * @param {{width: number, height: number, data: Uint8ClampedArray}} image
 * @returns {{shape: [number, number, number, number], dtype: 'uint8', values: Uint8Array}}
 */
export function planarFromRgba(image) {
  throw new Error('not filled yet');
}

/**
 * Coloured discs on a gradient: the built-in sample.
 * @param {number} width
 * @param {number} height
 * @returns {{width: number, height: number, data: Uint8ClampedArray}}
 */
export function samplePicture(width, height) {
  throw new Error('not filled yet');
}
