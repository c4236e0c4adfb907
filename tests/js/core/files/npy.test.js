import assert from 'node:assert/strict';
import { test } from 'node:test';
import { halfToNumber, parseNpy, toRowMajor } from '../../../../static/core/files/npy.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/**
 * Bytes of a version 1 file.
 * @param {string} header
 * @param {number} bodyBytes
 * @returns {ArrayBuffer}
 */
function file(header, bodyBytes = 0) {
  const text = new TextEncoder().encode(header);
  const bytes = Uint8Array.of(...MAGIC, 1, 0, text.length & 255, text.length >> 8, ...text, ...new Uint8Array(bodyBytes));
  return bytes.buffer;
}

/**
 * @param {string} descr
 * @param {string} shape
 * @param {number} bodyBytes
 */
function plain(descr, shape, bodyBytes = 0) {
  return file(`{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`, bodyBytes);
}

/** Headers as NumPy 2 wrote them; the padding before the newline is filled in. */
const WRITTEN = [
  {
    name: 'float16, big endian, Fortran order', version: 1,
    header: "{'descr': '>f2', 'fortran_order': True, 'shape': (2, 3), }", body: 'uAA0ALQAOAAAADoA',
    expected: { shape: [2, 3], dtype: 'float16', fortranOrder: true, values: [-0.5, 0.25, -0.25, 0.5, 0, 0.75] },
    rowMajor: [-0.5, -0.25, 0, 0.25, 0.5, 0.75],
  },
  {
    name: 'int64 beyond 2^53', version: 1,
    header: "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", body: 'AQAAAAAAIAD7/////////wAAAAAAAACA',
    expected: {
      shape: [3], dtype: 'int64', fortranOrder: false,
      values: [9007199254740993n, -5n, -9223372036854775808n],
    },
  },
  {
    name: 'uint64, big endian', version: 1,
    header: "{'descr': '>u8', 'fortran_order': False, 'shape': (2,), }", body: '//////////8AAAAAAAAAAQ==',
    expected: { shape: [2], dtype: 'uint64', fortranOrder: false, values: [18446744073709551615n, 1n] },
  },
  {
    name: 'version 2', version: 2,
    header: "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }", body: 'AQD//w==',
    expected: { shape: [1, 2], dtype: 'uint16', fortranOrder: false, values: [1, 65535] },
  },
  {
    name: 'complex64, big endian, Fortran order', version: 1,
    header: "{'descr': '>c8', 'fortran_order': True, 'shape': (2, 2), }", body: 'QEAAAECAAAAAAAAAAAAAAD8AAADAAAAAwKAAAEFAAAA=',
    expected: {
      shape: [2, 2], dtype: 'complex64', fortranOrder: true, values: [5, 0, Math.hypot(0.5, 2), 13],
      parts: [Float64Array.of(3, 0, 0.5, -5), Float64Array.of(4, 0, -2, 12)],
    },
    rowMajor: [5, Math.hypot(0.5, 2), 0, 13],
  },
  {
    name: 'version 3, a scalar', version: 3,
    header: "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", body: 'AQ==',
    expected: { shape: [], dtype: 'bool', fortranOrder: false, values: [1] },
  },
];

/**
 * @param {ArrayLike<number> | ArrayLike<bigint>} values
 * @returns {(number | bigint)[]}
 */
function listed(values) {
  return Array.from(/** @type {ArrayLike<number | bigint>} */ (values));
}

for (const { name, version, header, body, expected, rowMajor } of WRITTEN) {
  test(`reads what NumPy wrote: ${name}`, () => {
    const lengthBytes = version === 1 ? 2 : 4;
    const size = Math.ceil((8 + lengthBytes + header.length + 1) / 64) * 64 - 8 - lengthBytes;
    const text = new TextEncoder().encode(`${header.padEnd(size - 1)}\n`);
    const length = [size & 255, size >> 8, 0, 0].slice(0, lengthBytes);
    const bytes = Uint8Array.of(...MAGIC, version, 0, ...length, ...text, ...Buffer.from(body, 'base64'));
    const read = parseNpy(bytes.buffer);
    assert.deepEqual({ ...read, values: listed(read.values) }, expected);
    assert.deepEqual(listed(toRowMajor(read)), rowMajor ?? expected.values);
  });
}

test('every half precision number is read as float32 would store it', () => {
  assert.deepEqual(
    [0x0000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0x3555, 0x7bff, 0xc000, 0x7c00, 0xfc00].map(halfToNumber),
    [0, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 1, 0.333251953125, 65504, -2, Infinity, -Infinity],
  );
  assert.ok(Number.isNaN(halfToNumber(0x7e01)));
  assert.ok(Object.is(halfToNumber(0x8000), -0));
});

test('Fortran order becomes row-major for any rank', () => {
  const shape = [2, 3, 4];
  const values = new Int32Array(24);
  for (let a = 0; a < 2; a += 1) {
    for (let b = 0; b < 3; b += 1) for (let c = 0; c < 4; c += 1) values[a + 2 * b + 6 * c] = a * 100 + b * 10 + c;
  }
  const moved = toRowMajor({ shape, fortranOrder: true, values });
  assert.deepEqual([moved[0], moved[1], moved[4], moved[12], moved[23]], [0, 1, 10, 100, 123]);
  assert.ok(moved instanceof Int32Array);
});

/** @type {readonly (readonly [string, ArrayBuffer, RegExp])[]} */
const REFUSED = [
  ['another file', new TextEncoder().encode('PNG and then some more bytes').buffer, /not a \.npy file/],
  ['nothing', new ArrayBuffer(0), /not a \.npy file/],
  ['a cut header', plain("'<f4'", '(2,)').slice(0, 30), /ends inside its header/],
  ['only the magic', Uint8Array.of(...MAGIC, 1, 0).buffer, /ends inside its header/],
  ['version 9', Uint8Array.of(...MAGIC, 9, 0, 0, 0, 0, 0).buffer, /version 9 is unknown/],
  ['too few values', plain("'<f4'", '(2, 3)', 23), /24 bytes of values expected, 23 there/],
  ['objects', plain("'|O'", '(2,)', 16), /pickle, which is never run/],
  ['half of a complex number', plain("'<c8'", '(2,)', 12), /16 bytes of values expected, 12 there/],
  ['text', plain("'<U4'", '(2,)', 32), /not a plain number type/],
  ['inherited names', plain("'<constructor'", '(2,)', 32), /not a plain number type/],
  ['structured types', plain("[('a', '<f4')]", '(2,)', 8), /structured/],
  ['too many values', plain("'|u1'", '(100000, 100000)'), /too many to draw/],
  ['sizes beyond 2^53', plain("'|u1'", '(99999999999999999999,)'), /beyond what a file can hold/],
  ['no shape', file("{'descr': '<f4', 'fortran_order': False}"), /lacks descr, fortran_order or shape/],
  ['a negative size', plain("'<f4'", '(-1,)'), /lacks descr, fortran_order or shape/],
];

for (const [name, buffer, message] of REFUSED) {
  test(`refuses ${name}`, () => {
    assert.throws(() => parseNpy(buffer), message);
  });
}
