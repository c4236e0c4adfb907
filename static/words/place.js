import { vacantText } from './facts/sum.js';
import { exactText } from './numbers.js';

/** @import { Tensor } from '../core/types.js' */
/** @import { Bands, Seen } from '../core/strip/line.js' */

/**
 * Where a text leads: to an element, or to an address that has none. `note` says how the text was read,
 * or what lies there, where that is not plain; it may be empty.
 * @typedef {{coords: readonly number[] | null, address: number, note: string}} Place
 *
 * @typedef {{problem: string}} NoPlace why the text leads nowhere
 */

const MOST_CHARACTERS = 400;
const NUMBER = /^(0x[\da-f]+|\d+)$/i;
const BYTE = /^bytes?\s*[:=]?\s*(0x[\da-f]+|\d+)$/i;
const ADDRESS = /^(?:address|addr|@)\s*[:=]?\s*(0x[\da-f]+|\d+)$/i;
const NAMED = /^([a-z]\w*?)\s*=?\s*(-?\d+)$/i;
const EXAMPLES = 'an address such as 118 or 0x76, byte 472, or a coordinate such as';

/**
 * Reads an address or a coordinate, as typed or as the page prints it: "118", "0x76", "byte 472",
 * "n=1 c=5 h=0 w=2", "1,5,0,2", "[1][5][0][2]". A dimension that is not named keeps its present
 * index; a negative index counts from the end, as in Python.
 * @param {string} text
 * @param {Tensor} tensor
 * @param {number} itemsize_bits
 * @param {readonly number[] | null} present coordinates
 * @returns {Place | NoPlace}
 */
export function readPlace(text, tensor, itemsize_bits, present) {
  // The page writes spaces between thousands.
  const typed = text.replace(/(?<=\d)[\u202f\u00a0_](?=\d)/g, '').trim();
  if (typed.length > MOST_CHARACTERS) return { problem: `This is longer than ${MOST_CHARACTERS} characters.` };
  const byte = BYTE.exec(typed);
  if (byte) return placeOfByte(byte[1], tensor, itemsize_bits);
  const address = ADDRESS.exec(typed)?.[1] ?? (NUMBER.test(typed) ? typed : null);
  if (address !== null) return placeOfAddress(Number(address), tensor, hexNote(address));
  if (/^-\d+$/.test(typed)) return { problem: 'An address is not negative: it counts from 0.' };
  const list = indices(typed, tensor, present);
  return 'problem' in list ? list : placeOfCoords(list.coords, tensor);
}

/**
 * What the field says while it is empty, as the server does in templates/controls.html.
 * @param {readonly (string | number)[]} shape
 * @returns {string} with a coordinate of this tensor where it has dimensions
 */
export function goesTo(shape) {
  return `Go to ${shape.map((size, dim) => Math.max(0, Math.min(dim, Number(size) - 1))).join(',') || '5'}`;
}

/**
 * @param {string} number
 * @param {Tensor} tensor
 * @param {number} itemsize_bits
 */
function placeOfByte(number, tensor, itemsize_bits) {
  const bits = Number(number) * 8;
  const address = Math.floor(bits / itemsize_bits);
  const within = bits - address * itemsize_bits;
  const inside = within > 0 ? `, ${exactText(within / 8)} bytes after its start` : '';
  const element = itemsize_bits < 8 ? 'begins with' : 'lies in';
  const note = `Byte ${exactText(Number(number))} ${element} the element at address ${exactText(address)}${inside}.`;
  return placeOfAddress(address, tensor, note);
}

/**
 * @param {number} address
 * @param {Tensor} tensor
 * @param {string} note how the text was read
 * @returns {Place | NoPlace}
 */
function placeOfAddress(address, tensor, note) {
  const { bufferElements } = tensor;
  if (bufferElements === 0) return { problem: 'There is no address: the buffer is empty.' };
  if (address >= bufferElements) {
    const where = `This memory has ${exactText(bufferElements)} addresses, from 0 to ${exactText(bufferElements - 1)}.`;
    const asked = Number.isSafeInteger(address) ? `Address ${exactText(address)}` : 'This address';
    return { problem: [note, `${asked} is outside.`, where].filter(Boolean).join(' ') };
  }
  const { kind, coords } = tensor.ownerOf(address);
  if (kind === 'element' || kind === 'shared') return { coords, address, note };
  return { coords: null, address, note: [note, vacantText(tensor, address)].filter(Boolean).join(' ') };
}

/**
 * @param {readonly number[]} coords
 * @param {Tensor} tensor
 * @returns {Place | NoPlace}
 */
function placeOfCoords(coords, tensor) {
  const whole = coords.map((index, dim) => (index < 0 ? index + tensor.shape[dim] : index));
  for (const [dim, index] of whole.entries()) {
    const size = tensor.shape[dim];
    const name = tensor.dims[dim].toLowerCase();
    if (size === 0) return { problem: `${name} has size 0: there is no element.` };
    if (index >= 0 && index < size) continue;
    const asked = Number.isSafeInteger(coords[dim]) ? `, not ${String(coords[dim]).replace('-', '−')}` : '';
    return { problem: `${name} goes from 0 to ${exactText(size - 1)}${asked}.` };
  }
  return { coords: whole, address: tensor.addressOf(whole), note: '' };
}

/** @param {string} address */
function hexNote(address) {
  return /^0x/i.test(address) ? `${address} is address ${exactText(Number(address))}, counted in elements.` : '';
}

/**
 * @param {string} typed
 * @param {Tensor} tensor
 * @param {readonly number[] | null} present
 * @returns {{coords: number[]} | NoPlace}
 */
function indices(typed, tensor, present) {
  const { shape, dims } = tensor;
  const example = shape.length > 0 ? shape.map((size) => Math.max(0, size - 1)).join(',') : '()';
  const list = typed
    .replace(/^[a-z_]\w*\s*(?=[[(])/i, '')
    .replace(/\]\s*\[/g, ',')
    .replace(/^[[({]\s*|\s*[\])}]$/g, '')
    .trim();
  if (typed === '') return { problem: `Type ${EXAMPLES} ${example}.` };
  const parts = list.split(/\s*[,;]\s*|(?<=\d)\s+/).filter((part) => part !== '');
  if (parts.every((part) => /^-?\d+$/.test(part))) {
    if (parts.length === shape.length) return { coords: parts.map(Number) };
    const names = dims.map((name) => name.toLowerCase()).join(', ');
    const wanted = shape.length === 0 ? 'no index' : `${shape.length} ${shape.length === 1 ? 'index' : 'indices'} (${names})`;
    return { problem: `A coordinate of this tensor has ${wanted}, not ${parts.length}.` };
  }
  const coords = present ? [...present] : shape.map(() => 0);
  const seen = new Set();
  for (const part of parts) {
    const named = NAMED.exec(part);
    if (!named) return { problem: `“${shortened(part)}” is not understood here. Type ${EXAMPLES} ${example}.` };
    const dim = dimOf(named[1], dims);
    if (dim < 0) {
      const names = dims.map((name) => name.toLowerCase()).join(', ');
      return { problem: `There is no dimension ${shortened(named[1])}: ${names ? `they are ${names}` : 'the tensor has none'}.` };
    }
    if (seen.has(dim)) return { problem: `${dims[dim].toLowerCase()} is given twice.` };
    seen.add(dim);
    coords[dim] = Number(named[2]);
  }
  return { coords };
}

/**
 * @param {string} name
 * @param {readonly string[]} dims
 * @returns {number} -1 where there is none
 */
function dimOf(name, dims) {
  const exact = dims.indexOf(name);
  return exact >= 0 ? exact : dims.findIndex((dim) => dim.toLowerCase() === name.toLowerCase());
}

/** @param {string} part */
function shortened(part) {
  return part.length > 20 ? `${part.slice(0, 20)}…` : part;
}

/**
 * Which part of a memory a window shows: "addresses 0 to 1 791 of 1 605 632, n 0".
 * @param {Pick<Seen, 'first' | 'end'>} seen
 * @param {number} bufferElements
 * @param {Bands | null} bands
 * @returns {string}
 */
export function seenText({ first, end }, bufferElements, bands) {
  const last = Math.max(first, end - 1);
  const range = `addresses ${exactText(first)} to ${exactText(last)} of ${exactText(bufferElements)}`;
  if (!bands) return range;
  /** @param {number} address */
  const labelAt = (address) => bands.labelOf(Math.max(0, Math.min(bands.count - 1, Math.floor((address - bands.first) / bands.stride))));
  const [from, to] = [labelAt(first), labelAt(last)];
  return `${range}, ${from === to ? from : `${from} to ${to}`}`;
}
