import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CATEGORIES, categoryColour, contrast, defaultTheme, fromWord, inkOn, outlineOf, paletteOf, parseColour, SHADES,
} from '../../../static/core/palette.js';

/** @typedef {import('../../../static/core/palette.js').Rgb} Rgb */
/** @typedef {[number, number, number]} Triple */

/**
 * How the colour-blind see, severity 1, on linear RGB.
 *
 * Source: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision
 * Deficiency, 2009, table 1.
 * @type {Record<string, Triple[]>}
 */
const SIGHTS = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanope: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranope: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanope: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
/** sRGB to XYZ, divided by the white of D65. @type {Triple[]} */
const XYZ = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
];
const DEGREE = Math.PI / 180;

/** @param {Triple[]} matrix @param {Triple} vector @returns {Triple} */
function times(matrix, vector) {
  const [x, y, z] = matrix.map((row) => row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2]);
  return [x, y, z];
}

/**
 * CIELAB of a colour as somebody sees it.
 * @param {Rgb} rgb
 * @param {Triple[]} sight
 * @returns {Triple}
 */
function labOf(rgb, sight) {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const [seenRed, seenGreen, seenBlue] = times(sight, [red, green, blue]).map((part) => Math.min(1, Math.max(0, part)));
  const [x, y, z] = times(XYZ, [seenRed, seenGreen, seenBlue]).map((part) =>
    part > 216 / 24389 ? Math.cbrt(part) : (part * 24389) / 27 / 116 + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/**
 * Source: Sharma, Wu and Dalal, The CIEDE2000 Color-Difference Formula, 2005.
 * @param {Triple} left
 * @param {Triple} right
 * @returns {number}
 */
function deltaE2000([L1, a1, b1], [L2, a2, b2]) {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const stretch = 1.5 - 0.5 * Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const [C1, C2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)];
  const angle = (/** @type {number} */ a, /** @type {number} */ b) =>
    a === 0 && b === 0 ? 0 : (Math.atan2(b, a * stretch) / DEGREE + 360) % 360;
  const [h1, h2] = [angle(a1, b1), angle(a2, b2)];
  const grey = C1 * C2 === 0;
  const far = Math.abs(h1 - h2) > 180;
  const turn = grey ? 0 : far ? h2 - h1 + (h2 > h1 ? -360 : 360) : h2 - h1;
  const dL = L2 - L1;
  const dC = C2 - C1;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin((turn / 2) * DEGREE);
  const L = (L1 + L2) / 2;
  const C = (C1 + C2) / 2;
  const h = grey ? h1 + h2 : far ? (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2 : (h1 + h2) / 2;
  const T =
    1 - 0.17 * Math.cos((h - 30) * DEGREE) + 0.24 * Math.cos(2 * h * DEGREE) +
    0.32 * Math.cos((3 * h + 6) * DEGREE) - 0.2 * Math.cos((4 * h - 63) * DEGREE);
  const SL = 1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2);
  const SC = 1 + 0.045 * C;
  const SH = 1 + 0.015 * C * T;
  const RT = -2 * Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7)) * Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * DEGREE);
  return Math.sqrt((dL / SL) ** 2 + (dC / SC) ** 2 + (dH / SH) ** 2 + RT * (dC / SC) * (dH / SH));
}

/** @param {boolean} dark @returns {Rgb[][]} every 8th shade of every category, the last included */
function shadesOf(dark) {
  const words = paletteOf('categories', defaultTheme(dark));
  return Array.from({ length: CATEGORIES }, (_, row) =>
    Array.from({ length: 33 }, (_, at) => fromWord(words[row * SHADES + Math.min(SHADES - 1, at * 8)])),
  );
}

test('the difference of colours is that of the published pairs', () => {
  for (const [left, right, expected] of /** @type {[Triple, Triple, number][]} */ ([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [50, 0, -2.5], 4.3065],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ])) {
    assert.ok(Math.abs(deltaE2000(left, right) - expected) < 1e-4, `${deltaE2000(left, right)}, published ${expected}`);
  }
});

for (const dark of [false, true]) {
  const shades = shadesOf(dark);
  // Between any shades of two categories, and between those of the same place in the plane.
  for (const [sight, least, leastAtPlace] of /** @type {[string, number, number][]} */ ([
    ['normal', 6.5, 15], ['protanope', 5, 10], ['deuteranope', 3.5, 9], ['tritanope', 4.5, 8.5],
  ])) {
    test(`categories stay apart for ${sight} sight, ${dark ? 'dark' : 'light'}`, () => {
      const labs = shades.map((row) => row.map((rgb) => labOf(rgb, SIGHTS[sight])));
      let closest = Infinity;
      let closestAtPlace = Infinity;
      for (let one = 0; one < CATEGORIES; one += 1) {
        for (let other = one + 1; other < CATEGORIES; other += 1) {
          labs[one].forEach((left, place) => {
            for (const right of labs[other]) closest = Math.min(closest, deltaE2000(left, right));
            closestAtPlace = Math.min(closestAtPlace, deltaE2000(left, labs[other][place]));
          });
        }
      }
      assert.ok(closest >= least, `any shades: ${closest.toFixed(2)}`);
      assert.ok(closestAtPlace >= leastAtPlace, `at the same place: ${closestAtPlace.toFixed(2)}`);
    });
  }

  test(`every category can be read on and outlined, ${dark ? 'dark' : 'light'}`, () => {
    const { background, text } = defaultTheme(dark);
    const [back, ink] = [parseColour(background), parseColour(text)];
    let outlined = 0;
    for (const rgb of shades.flat()) {
      assert.ok(contrast(rgb, inkOn(rgb)) >= 4.5, `text on ${rgb}`);
      const outline = outlineOf(rgb, back, ink);
      assert.ok(contrast(outline, back) >= 3, `outline of ${rgb}`);
      if (contrast(rgb, back) >= 3) assert.deepEqual(outline, rgb, 'what stands out needs no outline');
      else outlined += 1;
    }
    assert.equal(outlined > 0, !dark, 'shades that need an outline, on a light page alone');
    for (let category = 0; category < CATEGORIES; category += 1) {
      assert.deepEqual(categoryColour(category + CATEGORIES, { dark }), categoryColour(category, { dark }));
    }
  });
}
