/** @typedef {readonly [number, number, number]} Rgb */

/** Each pixel is the mean of so many points across and down. */
const POINTS = 4;
const HORIZON = 0.74;
/** @type {readonly Rgb[]} the strips of the large balloon, from left to right */
const STRIPS = Object.freeze([
  [206, 24, 38], [250, 196, 32], [206, 24, 38], [28, 74, 200], [248, 248, 244], [28, 74, 200], [206, 24, 38], [250, 196, 32],
]);
/** @type {readonly Rgb[]} those of the small one */
const FAR_STRIPS = Object.freeze([[240, 120, 24], [252, 226, 120], [240, 120, 24], [252, 226, 120]]);

/**
 * The built-in sample picture: hot-air balloons over hills, with clear reds, greens and blues.
 * @param {number} width
 * @param {number} height
 * @returns {import('./picture.js').Rgba} opaque
 */
export function samplePicture(width, height) {
  const data = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const sum = [0, 0, 0];
      for (let point = 0; point < POINTS * POINTS; point += 1) {
        const u = (x + ((point % POINTS) + 0.5) / POINTS) / width;
        const v = (y + (Math.floor(point / POINTS) + 0.5) / POINTS) / height;
        colourAt((u * 4) / 3, v).forEach((part, channel) => (sum[channel] += part));
      }
      const pixel = sum.map((part) => part / (POINTS * POINTS));
      data.set([...pixel, 255], 4 * (y * width + x));
    }
  }
  return { width, height, data };
}

/**
 * @param {number} x from 0 to 4/3
 * @param {number} y from 0 to 1, downwards
 * @returns {Rgb}
 */
function colourAt(x, y) {
  return (
    balloonAt(x, y, { x: 0.52, y: 0.36, radius: 0.3, strips: STRIPS }) ??
    balloonAt(x, y, { x: 1.12, y: 0.4, radius: 0.085, strips: FAR_STRIPS }) ??
    groundAt(x, y) ??
    skyAt(x, y)
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {{x: number, y: number, radius: number, strips: readonly Rgb[]}} balloon
 * @returns {Rgb | null} null beside it
 */
function balloonAt(x, y, { x: middle, y: centre, radius, strips }) {
  const across = (x - middle) / radius;
  const down = (y - centre) / radius;
  if (Math.abs(across) < 0.17 && down > 1.56 && down < 1.84) return down < 1.62 ? [92, 50, 20] : [140, 84, 38];
  // Round above, narrowing to the mouth below.
  const half = down < 0.35 ? Math.sqrt(Math.max(0, 1 - down * down)) : 0.937 * Math.max(0, 1 - ((down - 0.35) / 1.22) ** 1.6);
  if (down > 1.24) return down < 1.6 && Math.abs(Math.abs(across) - 0.14) < 0.02 ? [70, 50, 40] : null;
  if (Math.abs(across) >= half) return null;
  const turn = Math.asin(across / half) / Math.PI + 0.5;
  const strip = strips[Math.min(strips.length - 1, Math.floor(turn * strips.length))];
  const light = 1.06 - 0.38 * Math.hypot(across + 0.35, down + 0.4) ** 2 * 0.55;
  return [strip[0] * light, strip[1] * light, strip[2] * light];
}

/**
 * @param {number} x
 * @param {number} y
 * @returns {Rgb | null} null above the hills
 */
function groundAt(x, y) {
  const near = 0.86 + 0.05 * Math.sin(x * 4.2 + 0.6);
  if (y > near) return [64 - 90 * (y - near), 158 - 160 * (y - near), 48 - 60 * (y - near)];
  const middle = 0.8 + 0.045 * Math.sin(x * 5.5 + 2.4);
  if (y > middle) return [104, 182, 74];
  const far = HORIZON + 0.05 * Math.sin(x * 6.1 + 4.4) - 0.03 * Math.sin(x * 13);
  return y > far ? [62, 128, 128] : null;
}

/** Centre, half width and half height of each cloud's part. */
const CLOUDS = Object.freeze([[0.98, 0.18, 0.13, 0.04], [1.07, 0.15, 0.09, 0.05], [0.1, 0.3, 0.09, 0.03], [0.16, 0.275, 0.06, 0.035], [1.2, 0.62, 0.1, 0.022]]);

/**
 * @param {number} x
 * @param {number} y
 * @returns {Rgb}
 */
function skyAt(x, y) {
  for (const [middle, centre, across, down] of CLOUDS) {
    if (((x - middle) / across) ** 2 + ((y - centre) / down) ** 2 < 1) return [250, 250, 252];
  }
  const part = Math.min(1, y / HORIZON);
  return [58 + 130 * part, 132 + 86 * part, 224 + 22 * part];
}
