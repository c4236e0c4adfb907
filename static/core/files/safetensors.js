import { halfToNumber } from './npy.js';
import { parseStrictJson } from './strict-json.js';

/** @import { Numbers } from './npy.js' */
/** @import { Json } from './strict-json.js' */

/**
 * @typedef {object} SafeTensor one tensor as the header describes it
 * @property {string} name
 * @property {string} type as the file names it
 * @property {string | null} dtype as the API names it; null for a type that is not supported
 * @property {readonly bigint[]} shape
 * @property {number} begin its first byte in the file
 * @property {number} end the byte after its last
 */

/** Bytes of the header's length, which come first. */
export const PREFIX_BYTES = 8;
export const MOST_HEADER_BYTES = 100_000_000;
const MOST_SIZE = 2n ** 63n - 1n;
const MOST_RANK = 52;
/** What a typed array can hold, and what can be drawn. */
export const MOST_ELEMENTS = 2 ** 26;

/** @type {Readonly<Record<string, {name: string, bits: bigint, read: (buffer: ArrayBuffer, count: number) => Numbers}>>} */
const TYPES = Object.freeze({
  F64: { name: 'float64', bits: 64n, read: (buffer) => new Float64Array(buffer) },
  F32: { name: 'float32', bits: 32n, read: (buffer) => new Float32Array(buffer) },
  F16: { name: 'float16', bits: 16n, read: (buffer) => Float32Array.from(new Uint16Array(buffer), halfToNumber) },
  BF16: { name: 'bfloat16', bits: 16n, read: widened },
  F8_E4M3: { name: 'float8_e4m3fn', bits: 8n, read: (buffer) => decoded(buffer, E4M3) },
  F8_E5M2: { name: 'float8_e5m2', bits: 8n, read: (buffer) => decoded(buffer, E5M2) },
  F4: { name: 'float4_e2m1fn', bits: 4n, read: nibbles },
  I64: { name: 'int64', bits: 64n, read: (buffer) => new BigInt64Array(buffer) },
  I32: { name: 'int32', bits: 32n, read: (buffer) => new Int32Array(buffer) },
  I16: { name: 'int16', bits: 16n, read: (buffer) => new Int16Array(buffer) },
  I8: { name: 'int8', bits: 8n, read: (buffer) => new Int8Array(buffer) },
  U64: { name: 'uint64', bits: 64n, read: (buffer) => new BigUint64Array(buffer) },
  U32: { name: 'uint32', bits: 32n, read: (buffer) => new Uint32Array(buffer) },
  U16: { name: 'uint16', bits: 16n, read: (buffer) => new Uint16Array(buffer) },
  U8: { name: 'uint8', bits: 8n, read: (buffer) => new Uint8Array(buffer) },
  C64: { name: 'complex64', bits: 64n, read: (buffer) => new Float32Array(buffer) },
  BOOL: { name: 'bool', bits: 8n, read: (buffer) => new Uint8Array(buffer).map((byte) => (byte ? 1 : 0)) },
});
/** Types of the format that are listed but not shown. @type {Readonly<Record<string, bigint>>} */
const OTHER_BITS = Object.freeze({
  F6_E2M3: 6n, F6_E3M2: 6n, F8_E8M0: 8n, F8_E4M3FNUZ: 8n, F8_E5M2FNUZ: 8n,
});

/** Numbers of each code. The type e5m2 is the upper byte of a half; e4m3 has NaN and no infinity. */
const E5M2 = Float32Array.from({ length: 256 }, (_, code) => halfToNumber(code << 8));
const E4M3 = Float32Array.from({ length: 256 }, (_, code) => {
  const sign = code & 0x80 ? -1 : 1;
  const exponent = (code >> 3) & 15;
  const fraction = code & 7;
  if (exponent === 15 && fraction === 7) return NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -9 : (1 + fraction / 8) * 2 ** (exponent - 7));
});
const E2M1 = Float32Array.of(0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6);

/** @param {ArrayBuffer} buffer */
function widened(buffer) {
  const upper = new Uint16Array(buffer);
  const bits = new Uint32Array(upper.length);
  for (let at = 0; at < upper.length; at += 1) bits[at] = upper[at] << 16;
  return new Float32Array(bits.buffer);
}

/**
 * @param {ArrayBuffer} buffer
 * @param {Float32Array} numbers
 */
function decoded(buffer, numbers) {
  return Float32Array.from(new Uint8Array(buffer), (code) => numbers[code]);
}

/**
 * Two elements to a byte, the one with the even index in the low half.
 * @param {ArrayBuffer} buffer
 * @param {number} count
 */
function nibbles(buffer, count) {
  const bytes = new Uint8Array(buffer);
  return Float32Array.from({ length: count }, (_, at) => E2M1[(bytes[at >> 1] >> (at & 1 ? 4 : 0)) & 15]);
}

/**
 * The size of the header in bytes, with the eight bytes of its length.
 * @param {Uint8Array} prefix the file's first eight bytes
 * @returns {number}
 * @throws {Error} where there are fewer, or the header is too long
 */
export function headerSize(prefix) {
  if (prefix.length < PREFIX_BYTES) throw new Error('the file ends before its header');
  const size = new DataView(prefix.buffer, prefix.byteOffset, PREFIX_BYTES).getBigUint64(0, true);
  if (size > BigInt(MOST_HEADER_BYTES)) {
    throw new Error(`the header has ${size} bytes: at most ${MOST_HEADER_BYTES} are read`);
  }
  return PREFIX_BYTES + Number(size);
}

/**
 * The tensors of a header, in the order of their bytes. Refuses all that the engine's reader refuses.
 * @param {Uint8Array} header from the first byte of the file
 * @returns {SafeTensor[]}
 * @throws {Error} with the reason
 */
export function parseHeader(header) {
  if (header.length !== headerSize(header)) throw new Error('the file ends inside its header');
  const bytes = header.subarray(PREFIX_BYTES);
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('the header is not UTF-8');
  }
  const said = parseStrictJson(text);
  if (!(said instanceof Map)) throw new Error('the header is no JSON object');
  const metadata = said.get('__metadata__') ?? new Map();
  if (!(metadata instanceof Map) || [...metadata.values()].some((value) => typeof value !== 'string')) {
    throw new Error('the metadata is no object of texts');
  }
  said.delete('__metadata__');
  const tensors = [...said].map(([name, entry], at) => tensorOf(name, entry, at, header.length));
  tensors.sort((one, other) => one.begin - other.begin || one.end - other.end);
  let end = header.length;
  for (const tensor of tensors) {
    if (tensor.begin !== end) throw new Error('tensors overlap or leave holes between them');
    ({ end } = tensor);
  }
  return tensors;
}

/**
 * @param {string} name
 * @param {Json} entry
 * @param {number} index
 * @param {number} first byte of the data
 * @returns {SafeTensor}
 */
function tensorOf(name, entry, index, first) {
  const where = `tensor ${index + 1} of the header`;
  if (!(entry instanceof Map)) throw new Error(`${where} is no object`);
  const type = entry.get('dtype');
  const shape = entry.get('shape');
  const offsets = entry.get('data_offsets');
  const known = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : null;
  const other = typeof type === 'string' && Object.hasOwn(OTHER_BITS, type) ? OTHER_BITS[type] : null;
  const bits = known?.bits ?? other;
  if (typeof type !== 'string' || bits === null) throw new Error(`${where} has an unknown type`);
  if (!Array.isArray(shape) || shape.length > MOST_RANK || !shape.every(isSize)) throw new Error(`${where} has no list of sizes`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every((n) => typeof n === 'bigint')) {
    throw new Error(`${where} has no two offsets`);
  }
  const [begin, end] = /** @type {bigint[]} */ (offsets);
  const sizes = /** @type {bigint[]} */ (shape);
  // With a size of 0 the others count as well: their product must stay an integer of 64 bits.
  const most = sizes.reduce((product, size) => product * (size || 1n), 1n);
  if (most > MOST_SIZE) throw new Error(`${where} has too many elements`);
  const size_bits = sizes.reduce((product, size) => product * size, 1n) * bits;
  if (begin < 0n || size_bits % 8n !== 0n || (end - begin) * 8n !== size_bits) {
    throw new Error(`${where} has offsets that do not differ by its size`);
  }
  if (end > BigInt(Number.MAX_SAFE_INTEGER) - BigInt(first)) throw new Error(`${where} lies beyond any file`);
  return Object.freeze({
    name, type, dtype: known?.name ?? null, shape: sizes, begin: first + Number(begin), end: first + Number(end),
  });
}

/** @param {Json} value */
function isSize(value) {
  return typeof value === 'bigint' && value >= 0n && value <= MOST_SIZE;
}

/**
 * The values of a tensor in row-major order.
 * @param {SafeTensor} tensor of a supported type
 * @param {ArrayBuffer} bytes those from begin to end, all of them
 * @returns {Numbers} floats below 32 bits widened, bool as 0 and 1, 64-bit integers as bigint
 */
export function readValues({ type, shape, begin, end }, bytes) {
  if (bytes.byteLength !== end - begin) throw new Error('the file ends inside the tensor');
  return TYPES[type].read(bytes, Number(shape.reduce((product, size) => product * size, 1n)));
}
