import { contains } from '../core/shape.js';
import { coordsText, exactText, valueText } from './numbers.js';
import { raised } from './story/lowered.js';

/** @import { Tensor, Values } from '../core/types.js' */

/**
 * What the cells of a grid are read from.
 * @typedef {object} CellSource
 * @property {Tensor} tensor the described one, or its view after the steps
 * @property {Tensor} memory the tensor before the steps
 * @property {Values | null} values of the elements in memory
 * @property {{name: string, tensor: Tensor} | null} [other] the layout compared with, where it has the same shape
 *
 * @typedef {{text: string, vacant: boolean}} CellWords vacant: no element lies there
 */

/** Steps of a search for the owners of one cell: some hundreds of cells must not take a frame. */
const BUDGET = 128;

/** @type {Readonly<Record<string, string>>} */
const VACANT = Object.freeze({ padding: 'padding', gap: 'gap', outside: 'outside', undetermined: 'not decided' });

/**
 * What a cell of the logical tensor says: "n 0, c 3, h 1, w 2: address 118, value 5", in lines.
 * @param {CellSource} source
 * @param {readonly number[]} coords
 * @returns {CellWords}
 */
export function logicalWords(source, coords) {
  const { tensor } = source;
  const address = tensor.addressOf(coords);
  const count = tensor.shares ? tensor.ownerOf(address, BUDGET).count : 1;
  const lines = [`address ${exactText(address)}`, ...otherLines(source, coords), ...storedLines(source, coords, count)];
  return { text: `${coordsText(tensor.dims, coords)}:\n${lines.join(',\n')}`, vacant: false };
}

/**
 * What an address says: "address 118: n 0, c 3, h 1, w 2, value 5", or "address 7: padding", in lines.
 * @param {CellSource} source
 * @param {number} address of the buffer
 * @returns {CellWords}
 */
export function memoryWords(source, address) {
  const { tensor, memory } = source;
  const { kind, coords, count } = tensor.ownerOf(address, BUDGET);
  const where = `address ${exactText(address)}:\n`;
  if (coords && (kind === 'element' || kind === 'shared')) {
    return { text: where + [coordsText(tensor.dims, coords), ...otherLines(source, coords), ...storedLines(source, coords, count)].join(',\n'), vacant: false };
  }
  const left = tensor === memory ? null : elementAt(memory, address);
  const name = coords ? `${VACANT[kind]}: it would be\n${coordsText(tensor.dims, coords)}` : VACANT[kind];
  const why = left ? `not in the view:\n${coordsText(memory.dims, left)} before the steps` : name;
  return { text: where + why, vacant: true };
}

/**
 * @param {CellSource} source
 * @param {readonly number[]} coords
 */
function otherLines({ other }, coords) {
  if (!other || !contains(other.tensor.shape, coords)) return [];
  return [`in ${other.name} address ${exactText(other.tensor.addressOf(coords))}`];
}

/**
 * @param {CellSource} source
 * @param {readonly number[]} coords
 * @param {number} count of the elements at the address
 */
function storedLines({ tensor, memory, values }, coords, count) {
  const there = tensor === memory ? coords : elementAt(memory, tensor.addressOf(coords));
  const value = values && there ? `value ${valueText(values, memory.linearOf(memory.firstOwner(there, BUDGET)))}` : '';
  const element = there ? `element ${exactText(memory.storedIndexOf(there, BUDGET))}` : '';
  return [value || element, count > 1 ? `shared by ${exactText(count)}` : ''].filter(Boolean);
}

/**
 * @param {Tensor} tensor
 * @param {number} address
 */
function elementAt(tensor, address) {
  const { kind, coords } = tensor.ownerOf(address, BUDGET);
  return kind === 'element' || kind === 'shared' ? coords : null;
}

/**
 * Which part of a grid its table shows, where that is not all of it.
 * @param {{first: number, last: number, count: number}} rows counted from 1
 * @param {{first: number, last: number, count: number}} columns counted from 1
 * @returns {string} empty for the whole grid
 */
export function partText(rows, columns) {
  const [down, across] = [['Rows', rows], ['columns', columns]].map(([name, part]) => {
    const { first, last, count } = /** @type {typeof rows} */ (part);
    return first === 1 && last === count ? '' : `${name} ${exactText(first)} to ${exactText(last)} of ${exactText(count)}`;
  });
  const text = [down, across].filter(Boolean).join(', ');
  return text && `${raised(text)}. Move or zoom to see others.`;
}
