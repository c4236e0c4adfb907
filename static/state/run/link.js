/** A log of a link: compressed and written in the letters of addresses, behind "#log=". It never reaches a server. */

import { isOfRun, read } from '../../api/client.js';
import { firstLines } from '../pasted.js';

const NAME = 'log=';
/** Longer addresses are cut by programs that pass them on. */
const MOST_LETTERS = 8000;
const MOST_CHARACTERS = 2 ** 22;
/** Where another page leaves a text for this one. */
export const LEFT = 'stridescope.run';

/**
 * Whether a text is that of a run, which the page of runs reads better.
 * @param {string} text
 * @param {AbortSignal} signal
 */
export async function isRun(text, signal) {
  return read(firstLines(text).text, signal).then(({ run }) => Boolean(run), isOfRun);
}

/**
 * @param {string} log
 * @returns {Promise<string>} the fragment, with its "#"; empty where it would be too long
 */
export async function packed(log) {
  if (log === '' || log.length > MOST_CHARACTERS) return '';
  const bytes = await through(new TextEncoder().encode(log), new CompressionStream('deflate-raw'));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const text = letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return text.length > MOST_LETTERS ? '' : `#${NAME}${text}`;
}

/**
 * @param {string} fragment
 * @returns {Promise<string>} the log; empty where the fragment has none, or a broken one
 */
export async function unpacked(fragment) {
  const text = fragment.replace(/^#/, '');
  if (!text.startsWith(NAME) || text.length > MOST_LETTERS + NAME.length) return '';
  try {
    const letters = atob(text.slice(NAME.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
  } catch {
    return '';
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @returns {Promise<Uint8Array>}
 * @throws where the bytes are broken, or become more than a log of a link can be
 */
async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_CHARACTERS) throw new RangeError('too long');
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
