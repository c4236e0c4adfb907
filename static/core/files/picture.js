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

const LEAST_SIDE = 8;

/**
 * The dimensions of an array that looks like a picture: bytes, with three or four channels first or last.
 * @param {readonly number[]} shape
 * @param {string} dtype
 * @returns {'HWC' | 'CHW' | 'NHWC' | 'NCHW' | null}
 */
export function pictureDims(shape, dtype) {
  const batch = shape.length === 4 ? 1 : 0;
  if (dtype !== 'uint8' || shape.length - batch !== 3) return null;
  const [first, second, last] = shape.slice(batch);
  /** @param {number} size */
  const isChannels = (size) => size === 3 || size === 4;
  if (isChannels(last) && Math.min(first, second) >= LEAST_SIDE) return batch ? 'NHWC' : 'HWC';
  if (isChannels(first) && Math.min(second, last) >= LEAST_SIDE) return batch ? 'NCHW' : 'CHW';
  return null;
}
