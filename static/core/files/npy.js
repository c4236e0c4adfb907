import { advance, productOf, weighted } from '../shape.js';
import { splitComplex } from './complex.js';

/** @typedef {ArrayLike<number> | ArrayLike<bigint>} Numbers */

/**
 * @typedef {object} NpyArray
 * @property {number[]} shape
 * @property {string} dtype as the API names it
 * @property {boolean} fortranOrder
 * @property {Numbers} values in file order; float16 widened, bool as 0 and 1, 64-bit integers as bigint; absolute values of complex numbers
 * @property {readonly [Numbers, Numbers]} [parts] real and imaginary, of complex numbers
 */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const MOST_ELEMENTS = 2 ** 26;
const MOST_HEADER_BYTES = 2 ** 16;
const MOST_RANK = 64;

/** parts: numbers of each value, if there are several. @type {Readonly<Record<string, {name: string, bytes: number, parts?: number, read: (buffer: ArrayBuffer) => Numbers}>>} */
const TYPES = Object.freeze({
  b1: { name: 'bool', bytes: 1, read: (buffer) => new Uint8Array(buffer).map((byte) => (byte ? 1 : 0)) },
  i1: { name: 'int8', bytes: 1, read: (buffer) => new Int8Array(buffer) },
  u1: { name: 'uint8', bytes: 1, read: (buffer) => new Uint8Array(buffer) },
  i2: { name: 'int16', bytes: 2, read: (buffer) => new Int16Array(buffer) },
  u2: { name: 'uint16', bytes: 2, read: (buffer) => new Uint16Array(buffer) },
  f2: { name: 'float16', bytes: 2, read: (buffer) => Float32Array.from(new Uint16Array(buffer), halfToNumber) },
  i4: { name: 'int32', bytes: 4, read: (buffer) => new Int32Array(buffer) },
  u4: { name: 'uint32', bytes: 4, read: (buffer) => new Uint32Array(buffer) },
  f4: { name: 'float32', bytes: 4, read: (buffer) => new Float32Array(buffer) },
  i8: { name: 'int64', bytes: 8, read: (buffer) => new BigInt64Array(buffer) },
  u8: { name: 'uint64', bytes: 8, read: (buffer) => new BigUint64Array(buffer) },
  f8: { name: 'float64', bytes: 8, read: (buffer) => new Float64Array(buffer) },
  c8: { name: 'complex64', bytes: 8, parts: 2, read: (buffer) => new Float32Array(buffer) },
  c16: { name: 'complex128', bytes: 16, parts: 2, read: (buffer) => new Float64Array(buffer) },
});

/**
 * @param {number} bits of an IEEE 754 binary16
 * @returns {number}
 */
export function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * @param {ArrayBuffer} buffer
 * @returns {{header: string, start: number}} start: first byte of the values
 */
function readHeader(buffer) {
  const bytes = new Uint8Array(buffer);
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw new Error('not a .npy file: the magic bytes are missing');
  if (bytes.length < 12) throw new Error('the .npy file ends inside its header');
  const version = bytes[6];
  if (version < 1 || version > 3) throw new Error(`.npy version ${version} is unknown: 1, 2 or 3 expected`);
  const view = new DataView(buffer);
  const size = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const first = version === 1 ? 10 : 12;
  if (size > MOST_HEADER_BYTES) throw new Error(`the .npy header has ${size} bytes: at most ${MOST_HEADER_BYTES} are read`);
  if (first + size > bytes.length) throw new Error('the .npy file ends inside its header');
  const coding = version === 3 ? 'utf-8' : 'latin1';
  return { header: new TextDecoder(coding).decode(bytes.subarray(first, first + size)), start: first + size };
}

/**
 * @param {string} header a Python dictionary with the keys descr, fortran_order and shape
 * @returns {{descr: string, fortranOrder: boolean, shape: number[]}}
 */
function parseHeader(header) {
  const descr = /['"]descr['"]\s*:\s*(?:['"]([^'"]*)['"]|\[)/.exec(header);
  const order = /['"]fortran_order['"]\s*:\s*(True|False)\b/.exec(header);
  const shape = /['"]shape['"]\s*:\s*\(([\d\sL,]*)\)/.exec(header);
  if (descr === null || order === null || shape === null) {
    throw new Error('the .npy header lacks descr, fortran_order or shape');
  }
  if (descr[1] === undefined) throw new Error('structured .npy types have fields: one plain number type expected');
  const sizes = shape[1].split(',').map((size) => size.trim().replace(/L$/, '')).filter((size) => size !== '').map(Number);
  if (sizes.length > MOST_RANK || !sizes.every(Number.isSafeInteger)) {
    throw new Error('the .npy shape is beyond what a file can hold');
  }
  return { descr: descr[1], fortranOrder: order[1] === 'True', shape: sizes };
}

/**
 * @param {ArrayBuffer} buffer changed in place
 * @param {number} bytes per value
 */
function swapBytes(buffer, bytes) {
  const all = new Uint8Array(buffer);
  for (let at = 0; at < all.length; at += bytes) all.subarray(at, at + bytes).reverse();
}

/**
 * Reads a .npy file, versions 1 to 3, little or big endian. Never evaluates the header.
 *
 * Throws an Error with the reason for other types, truncated files and more than 2^26 values.
 * @param {ArrayBuffer} buffer
 * @returns {NpyArray}
 */
export function parseNpy(buffer) {
  const { header, start } = readHeader(buffer);
  const { descr, fortranOrder, shape } = parseHeader(header);
  const order = descr[0];
  const type = Object.hasOwn(TYPES, descr.slice(1)) ? TYPES[descr.slice(1)] : undefined;
  if (descr.includes('O')) throw new Error('object arrays need pickle, which is never run');
  if (type === undefined || !'<>|='.includes(order)) {
    throw new Error(`.npy type ${JSON.stringify(descr)} is not a plain number type (bool, int, uint, float or complex)`);
  }
  const elements = productOf(shape);
  if (elements > MOST_ELEMENTS) throw new Error(`${elements} values are too many to draw: at most ${MOST_ELEMENTS}`);
  const size_bytes = elements * type.bytes;
  if (buffer.byteLength - start < size_bytes) {
    throw new Error(`the .npy file ends early: ${size_bytes} bytes of values expected, ${buffer.byteLength - start} there`);
  }
  const body = buffer.slice(start, start + size_bytes);
  const { parts = 1 } = type;
  if (order === '>' && type.bytes > 1) swapBytes(body, type.bytes / parts);
  const { data, ...complex } = parts > 1 ? splitComplex(type.read(body)) : { data: type.read(body) };
  return { shape, dtype: type.name, fortranOrder, values: data, ...complex };
}

/**
 * The values in logical row-major order, whatever the order in the file.
 * @param {{shape: readonly number[], fortranOrder: boolean, values: Numbers}} array
 * @returns {Numbers} the array itself where nothing has to move
 */
export function toRowMajor({ shape, fortranOrder, values }) {
  if (!fortranOrder || shape.filter((size) => size !== 1).length < 2) return values;
  const strides = shape.map((_, dim) => productOf(shape.slice(0, dim)));
  const outer = shape.slice(0, -1);
  const coords = new Array(outer.length).fill(0);
  const [length, step] = [shape[outer.length], strides[outer.length]];
  const target = new /** @type {any} */ (values.constructor)(values.length);
  for (let index = 0; index < values.length; advance(coords, outer)) {
    let source = weighted(strides, coords);
    for (const end = index + length; index < end; index += 1) {
      target[index] = values[source];
      source += step;
    }
  }
  return target;
}
