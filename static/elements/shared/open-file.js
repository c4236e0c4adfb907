import { parseNpy, toRowMajor } from '../../core/files/npy.js';
import { planarFromRgba } from '../../core/files/picture.js';
import { pictureSize } from '../../core/files/picture-size.js';
import { samplePicture } from '../../core/files/sample-picture.js';
import { productOf } from '../../core/shape.js';
import { denseLayout } from '../../api/dense-layout.js';

/** @typedef {import('../../state/types.js').LoadedValues} LoadedValues */

/**
 * Values, and the fields that describe how they lie in the file.
 * @typedef {{loaded: LoadedValues, shape: string, dtype: string, layout: string | null}} Opened layout null: any order of N, C, H and W is possible
 */

const MOST_PIXELS = 2 ** 24;
const MOST_FILE_BYTES = 2 ** 29;
const HEADER_BYTES = 2 ** 18;
const SAMPLE_WIDTH = 128;
const SAMPLE_HEIGHT = 96;
const MOST_COUNTED = 2 ** 20;

/**
 * Reads the values of a file.
 * @param {File} file
 * @returns {Promise<Opened>}
 * @throws {Error} with a message to show
 */
export async function openFile(file) {
  if (file.size > MOST_FILE_BYTES) {
    throw new Error(`${file.name} has ${file.size} bytes: at most ${MOST_FILE_BYTES} are read.`);
  }
  const head = new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer());
  if (/\.npy$/i.test(file.name) || (head[0] === 0x93 && head[1] === 0x4e)) return openNpy(file);
  return openPicture(file, pictureSize(head));
}

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
  return { values: { data, role: 'data' }, shape, label: `1 to ${elements}` };
}

/**
 * @param {File} file
 * @returns {Promise<Opened>}
 */
async function openNpy(file) {
  const array = parseNpy(await file.arrayBuffer());
  const { shape, dtype, fortranOrder } = array;
  return {
    loaded: { values: { data: toRowMajor(array), role: 'data' }, shape, label: `${file.name}, ${dtype}` },
    shape: shape.length > 0 ? shape.join(',') : '()',
    dtype,
    layout: denseLayout(shape, fortranOrder ? 'column-major' : 'row-major'),
  };
}

/**
 * @param {File} file
 * @param {{width: number, height: number} | null} size
 */
async function openPicture(file, size) {
  checkPixels(file.name, size?.width ?? 0, size?.height ?? 0);
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error(`${file.name} is neither a picture this browser reads nor a .npy file.`);
  }
  const { width, height } = bitmap;
  checkPixels(file.name, width, height);
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser gives no canvas to decode the picture on.');
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  return pictureOf(context.getImageData(0, 0, width, height), file.name);
}

/**
 * @param {string} name
 * @param {number} width
 * @param {number} height
 */
function checkPixels(name, width, height) {
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
function pictureOf(image, name) {
  const { shape, dtype, values } = planarFromRgba(image);
  const label = `${name}, ${image.width} × ${image.height}`;
  return { loaded: { values: { data: values, role: 'picture' }, shape, label }, shape: shape.join(','), dtype, layout: null };
}
