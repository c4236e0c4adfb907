import { denseLayout } from '../../api/dense-layout.js';
import { pictureDims, planarFromRgba } from '../../core/files/picture.js';
import { samplePicture } from '../../core/files/sample-picture.js';
import { exactText } from '../../core/numbers.js';
import { productOf } from '../../core/shape.js';

/** @import { LoadedValues } from '../types.js' */

/**
 * Values, and the fields that describe how they lie in the file.
 * @typedef {object} Opened
 * @property {string} name of the file, or of a tensor in it
 * @property {LoadedValues | null} loaded null where there are too many to draw
 * @property {string} shape
 * @property {string} dtype
 * @property {string | null} layout null: any order of N, C, H and W is possible
 * @property {string} dims
 * @property {Opened} [other] the same as numbers where this is a picture, or the other way round
 */

const MOST_PIXELS = 2 ** 24;
const SAMPLE_WIDTH = 128;
const SAMPLE_HEIGHT = 96;
const MOST_COUNTED = 2 ** 20;

/** @returns {Opened} the built-in picture */
export function openSample() {
  return pictureOf(samplePicture(SAMPLE_WIDTH, SAMPLE_HEIGHT), 'Sample picture');
}

/**
 * 1, 2, 3 … in logical order.
 * @param {readonly number[]} shape
 * @returns {LoadedValues | null} null where they are too many to be of use
 */
export function countedValues(shape) {
  const elements = productOf(shape);
  if (elements > MOST_COUNTED) return null;
  const data = Float64Array.from({ length: elements }, (_, at) => at + 1);
  return { values: { data, role: 'data' }, shape, label: `1 to ${exactText(elements)}` };
}

/**
 * An array as it lies in its file; bytes with three or four channels are shown as a picture.
 * @param {string} name
 * @param {{shape: readonly number[], dtype: string, fortranOrder: boolean} & Pick<LoadedValues['values'], 'data' | 'parts'>} array
 * @returns {Opened}
 */
export function arrayOf(name, { shape, dtype, data, parts, fortranOrder }) {
  const label = `${name}, ${dtype}`;
  const text = shape.length > 0 ? shape.join(',') : '()';
  const layout = denseLayout(shape, fortranOrder ? 'column-major' : 'row-major');
  const plain = { name, loaded: { values: { data, parts, dtype, role: /** @type {const} */ ('data') }, shape, label }, shape: text, dtype, layout, dims: '' };
  const dims = pictureDims(shape, dtype);
  if (dims === null) return plain;
  const loaded = { values: { data, role: /** @type {const} */ ('picture') }, shape, label: `${label}, as a picture` };
  return { ...plain, loaded, layout: fortranOrder ? layout : dims, dims, other: plain };
}

/**
 * @param {string} name
 * @param {number} width
 * @param {number} height
 */
export function checkPixels(name, width, height) {
  if (width * height > MOST_PIXELS) {
    throw new Error(
      `${name} has ${width} × ${height} pixels: at most ${MOST_PIXELS} (4096 × 4096) are read. Make it smaller first.`,
    );
  }
}

/**
 * @param {{width: number, height: number, data: Uint8ClampedArray}} image
 * @param {string} name
 * @returns {Opened}
 */
export function pictureOf(image, name) {
  const { shape, dtype, values } = planarFromRgba(image);
  const label = `${name}, ${image.width} × ${image.height}`;
  const loaded = { values: { data: values, role: /** @type {const} */ ('picture') }, shape, label };
  return { name, loaded, shape: shape.join(','), dtype, layout: null, dims: '' };
}
