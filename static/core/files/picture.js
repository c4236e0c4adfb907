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

/** Centre and radius in units of the picture's height, then red, green, blue. */
const DISCS = Object.freeze([
  [0.42, 0.4, 0.27, 230, 40, 45],
  [0.72, 0.62, 0.29, 30, 170, 80],
  [1.02, 0.38, 0.24, 40, 90, 225],
  [1.16, 0.76, 0.13, 245, 205, 40],
  [0.24, 0.8, 0.11, 245, 245, 245],
]);

/**
 * The built-in sample picture: coloured discs on a dark gradient, brighter where they overlap.
 * @param {number} width
 * @param {number} height
 * @returns {Rgba}
 */
export function samplePicture(width, height) {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const u = ((x + 0.5) / width) * (4 / 3);
      const v = (y + 0.5) / height;
      const at = 4 * (y * width + x);
      let red = 28 + 60 * v;
      let green = 34 + 26 * v;
      let blue = 62 + 20 * (1 - v);
      for (const [cx, cy, radius, r, g, b] of DISCS) {
        const distance = Math.hypot(u - cx, v - cy);
        const cover = Math.max(0, Math.min(1, (radius - distance) * height * 0.5 + 0.5));
        const shade = cover * (1 - 0.35 * (distance / radius) ** 2);
        red += r * shade;
        green += g * shade;
        blue += b * shade;
      }
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
      data[at + 3] = 255;
    }
  }
  return { width, height, data };
}
