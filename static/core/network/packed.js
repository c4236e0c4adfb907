/** What a link carries at most: browsers and servers take about 8,000 characters of an address. */
export const MOST_CHARACTERS = 6000;
/** What is unpacked at most: a short text can be the packing of a very long one. */
const MOST_BYTES = 2 ** 20;

/**
 * Packs a text for an address.
 * @param {string} text
 * @returns {Promise<string>} base64url of the deflated text
 */
export async function pack(text) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text), Infinity);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * @param {string} packed
 * @returns {Promise<string>}
 * @throws {RangeError} where it is not the packing of a text, or of one that is too long
 */
export async function unpack(packed) {
  if (packed.length > MOST_CHARACTERS || !/^[\w-]*$/.test(packed)) throw new RangeError('not a packed text');
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = await through(new DecompressionStream('deflate-raw'), bytes, MOST_BYTES);
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    throw new RangeError('not a packed text');
  }
}

/**
 * @param {{readable: ReadableStream, writable: WritableStream}} stream
 * @param {Uint8Array} bytes
 * @param {number} most
 * @returns {Promise<Uint8Array>}
 */
async function through(stream, bytes, most) {
  const writer = stream.writable.getWriter();
  // Both fail where the bytes are wrong; reading tells of it.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  /** @type {Uint8Array[]} */
  const parts = [];
  let total = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    total += value.length;
    if (total > most) throw new RangeError('too long');
  }
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
