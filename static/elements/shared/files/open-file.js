import { parseNpy, toRowMajor } from '../../../core/files/npy.js';
import { pictureDims, planarFromRgba } from '../../../core/files/picture.js';
import { pictureSize } from '../../../core/files/picture-size.js';
import { samplePicture } from '../../../core/files/sample-picture.js';
import { headerSize, MOST_ELEMENTS, parseHeader, PREFIX_BYTES, readValues } from '../../../core/files/safetensors.js';
import { exactText } from '../../../core/numbers.js';
import { productOf } from '../../../core/shape.js';
import { denseLayout } from '../../../api/dense-layout.js';

/** @typedef {import('../../../state/types.js').LoadedValues} LoadedValues */
/** @typedef {import('../../../core/files/safetensors.js').SafeTensor} SafeTensor */

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
 *
 * A file with several tensors to choose from.
 * @typedef {{file: File, tensors: readonly SafeTensor[]}} Shelf
 */

const MOST_PIXELS = 2 ** 24;
const MOST_FILE_BYTES = 2 ** 29;
const HEADER_BYTES = 2 ** 18;
const SAMPLE_WIDTH = 128;
const SAMPLE_HEIGHT = 96;
const MOST_COUNTED = 2 ** 20;

/**
 * Reads the values of a file. Of a file with several tensors only the header is read.
 * @param {File} file
 * @returns {Promise<Opened | Shelf>}
 * @throws {Error} with a message to show
 */
export async function openFile(file) {
  if (/\.safetensors$/i.test(file.name)) return openSafetensors(file);
  if (file.size > MOST_FILE_BYTES) {
    throw new Error(`${file.name} has ${file.size} bytes: at most ${MOST_FILE_BYTES} are read.`);
  }
  const head = new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer());
  if (/\.npy$/i.test(file.name) || (head[0] === 0x93 && head[1] === 0x4e)) return openNpy(file);
  return openPicture(file, pictureSize(head));
}

/**
 * @param {File} file
 * @returns {Promise<Opened | Shelf>}
 */
async function openSafetensors(file) {
  const prefix = await bytesOf(file, 0, PREFIX_BYTES);
  const tensors = parseHeader(new Uint8Array(await bytesOf(file, 0, headerSize(new Uint8Array(prefix)))));
  if (tensors.length === 0) throw new Error(`${file.name} contains no tensors.`);
  const { end } = tensors[tensors.length - 1];
  if (end !== file.size) throw new Error(`${file.name} has ${file.size} bytes: its header says ${end}.`);
  return tensors.length === 1 && tensors[0].dtype !== null ? openTensor(file, tensors[0]) : { file, tensors };
}

/**
 * Reads one tensor of a file: its own bytes only.
 * @param {File} file
 * @param {SafeTensor} tensor of a supported type
 * @returns {Promise<Opened>}
 */
export async function openTensor(file, tensor) {
  const { dtype, begin, end } = tensor;
  if (dtype === null) throw new Error(`The type ${tensor.type} is not supported.`);
  const name = `${file.name}: ${tensor.name}`;
  const elements = tensor.shape.reduce((product, size) => product * size, 1n);
  if (elements > BigInt(MOST_ELEMENTS)) {
    const shape = tensor.shape.map(String);
    return { name, loaded: null, shape: shape.join(','), dtype, layout: denseLayout(shape), dims: '' };
  }
  const data = readValues(tensor, await bytesOf(file, begin, end));
  return arrayOf(name, { shape: tensor.shape.map(Number), dtype, data, fortranOrder: false });
}

/**
 * @param {File} file
 * @param {number} begin
 * @param {number} end
 */
async function bytesOf(file, begin, end) {
  try {
    return await file.slice(begin, end).arrayBuffer();
  } catch {
    throw new Error(`${file.name} cannot be read: it was changed or removed. Open it again.`);
  }
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
  return { values: { data, role: 'data' }, shape, label: `1 to ${exactText(elements)}` };
}

/**
 * @param {File} file
 * @returns {Promise<Opened>}
 */
async function openNpy(file) {
  const array = parseNpy(await file.arrayBuffer());
  const { shape, dtype, fortranOrder } = array;
  return arrayOf(file.name, { shape, dtype, data: toRowMajor(array), fortranOrder });
}

/**
 * An array as it lies in its file; bytes with three or four channels are shown as a picture.
 * @param {string} name
 * @param {{shape: readonly number[], dtype: string, data: ArrayLike<number> | ArrayLike<bigint>, fortranOrder: boolean}} array
 * @returns {Opened}
 */
function arrayOf(name, { shape, dtype, data, fortranOrder }) {
  const label = `${name}, ${dtype}`;
  const text = shape.length > 0 ? shape.join(',') : '()';
  const layout = denseLayout(shape, fortranOrder ? 'column-major' : 'row-major');
  const plain = { name, loaded: { values: { data, dtype, role: /** @type {const} */ ('data') }, shape, label }, shape: text, dtype, layout, dims: '' };
  const dims = pictureDims(shape, dtype);
  if (dims === null) return plain;
  const loaded = { values: { data, role: /** @type {const} */ ('picture') }, shape, label: `${label}, as a picture` };
  return { ...plain, loaded, layout: fortranOrder ? layout : dims, dims, other: plain };
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
    throw new Error(`${file.name} is neither a picture this browser reads nor a .npy or .safetensors file.`);
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
  const loaded = { values: { data: values, role: /** @type {const} */ ('picture') }, shape, label };
  return { name, loaded, shape: shape.join(','), dtype, layout: null, dims: '' };
}
