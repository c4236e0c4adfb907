/**
 * @typedef {object} Rgba pixels as a canvas gives them
 * @property {number} width
 * @property {number} height
 * @property {Uint8ClampedArray} data four bytes a pixel
 */

/**
 * Red, green and blue planes of RGBA pixels on a white background.
 * @param {Rgba} image
 * @returns {{shape: [number, number, number, number], dtype: 'uint8', values: Uint8Array}} shape (1, 3, H, W), row-major
 */
export function planarFromRgba({ width, height, data }) {
  const pixels = width * height;
  if (data.length !== 4 * pixels) {
    throw new RangeError(`${width} x ${height} pixels need ${4 * pixels} bytes, not ${data.length}`);
  }
  const values = new Uint8Array(3 * pixels);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const alpha = data[4 * pixel + 3];
    for (let channel = 0; channel < 3; channel += 1) {
      const value = data[4 * pixel + channel];
      values[channel * pixels + pixel] = Math.round((value * alpha + 255 * (255 - alpha)) / 255);
    }
  }
  return { shape: [1, 3, height, width], dtype: 'uint8', values };
}
