import { splitComplex } from '../../../core/files/complex.js';
import { parseNpy, toRowMajor } from '../../../core/files/npy.js';
import { pictureSize } from '../../../core/files/picture-size.js';
import { headerSize, MOST_ELEMENTS, parseHeader, PREFIX_BYTES, readValues } from '../../../core/files/safetensors.js';
import { denseLayout } from '../../../api/dense-layout.js';
import { arrayOf, checkPixels, pictureOf } from '../../../state/files/opened.js';

/** @import { Opened } from '../../../state/files/opened.js' */
/** @import { SafeTensor } from '../../../core/files/safetensors.js' */
/** @typedef {{file: File, tensors: readonly SafeTensor[]}} Shelf a file with several tensors to choose from */

const MOST_FILE_BYTES = 2 ** 29;
const HEADER_BYTES = 2 ** 18;

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
  const values = dtype.startsWith('complex') ? splitComplex(data) : { data };
  return arrayOf(name, { shape: tensor.shape.map(Number), dtype, ...values, fortranOrder: false });
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

/**
 * @param {File} file
 * @returns {Promise<Opened>}
 */
async function openNpy(file) {
  const array = parseNpy(await file.arrayBuffer());
  const { shape, dtype, fortranOrder } = array;
  const [data, ...parts] = [array.values, ...(array.parts ?? [])].map((values) => toRowMajor({ ...array, values }));
  return arrayOf(file.name, { shape, dtype, data, ...(parts.length > 0 ? { parts: [parts[0], parts[1]] } : {}), fortranOrder });
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
