/** @import { CellText, Tensor, Values } from './types.js' */
import { complexText } from '../core/files/complex.js';
import { isBroadcast } from '../core/layout/digits.js';
import { LETTERS } from '../core/numbers.js';

/** Steps of a search for the owners of one cell. */
export const CELL_BUDGET = 256;
/** Values whose length stands for that of all. */
const MEASURED_VALUES = 512;

/**
 * The kind of text that 'auto' stands for.
 * @param {Tensor} tensor
 * @param {CellText} text
 * @param {Values | null} values
 * @returns {Exclude<CellText, 'auto'>}
 */
export function resolveText(tensor, text, values) {
  if (text === 'value' && values === null) return 'linear';
  if (text === 'auto' && values !== null) return 'value';
  if (text !== 'auto' && text !== 'letter') return text;
  return tensor.elements <= LETTERS || tensor.storedElements() <= LETTERS ? 'letter' : 'linear';
}

/** Digits of a value that is no integer; where a cell has no room for the first, it shows fewer. */
const PRECISIONS = Object.freeze([3, 2, 1]);

/**
 * @param {number | bigint} value
 * @param {number} [digits]
 * @returns {string} at most eight characters or so; integers as they are
 */
export function shortNumber(value, digits = PRECISIONS[0]) {
  if (typeof value === 'bigint' || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  const fixed = Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5;
  return fixed ? String(Number(value.toPrecision(digits))) : value.toExponential(Math.min(1, digits - 1));
}

/**
 * @param {Values} values
 * @param {number} at
 * @param {number} digits
 */
function shortText({ data, parts }, at, digits) {
  return parts ? complexText(shortNumber(parts[0][at], digits), shortNumber(parts[1][at], digits)) : shortNumber(data[at], digits);
}

/**
 * The texts of a tensor's cells, in both grids: what is stored at an element's address.
 *
 * Elements that share an address have the same text. Letters and numbers count what is stored, each
 * address once; the value and the coordinates are those of the first owner in row-major order, with *
 * for a dimension along which all elements are the same.
 * @param {Tensor} tensor
 * @param {CellText} text
 * @param {Values | null} values
 * @param {number} [room] characters that a cell can show
 * @returns {(coords: readonly number[]) => string}
 */
export function createCellText(tensor, text, values, room = Infinity) {
  const resolved = resolveText(tensor, text, values);
  const { addressOf, firstOwner, linearOf, storedIndexOf } = tensor;
  switch (resolved) {
    case 'value': {
      if (values === null) return () => '';
      const digits = PRECISIONS.find((each) => valueLength(values, each) <= room) ?? PRECISIONS[0];
      return (coords) => shortText(values, linearOf(firstOwner(coords, CELL_BUDGET)), digits);
    }
    case 'letter':
      return (coords) => String.fromCharCode(65 + storedIndexOf(coords, CELL_BUDGET));
    case 'address':
      return (coords) => String(addressOf(coords));
    case 'coords': {
      const repeated = tensor.digits.map(
        (digits) => isBroadcast(digits) && digits.every(({ extent, stride }) => extent <= 1 || stride === 0),
      );
      return (coords) =>
        firstOwner(coords, CELL_BUDGET).map((index, dim) => (repeated[dim] ? '*' : index)).join();
    }
    default: {
      const digits = String(Math.max(0, tensor.storedElements() - 1)).length;
      const width = digits <= 6 ? digits : 1;
      return (coords) => String(storedIndexOf(coords, CELL_BUDGET)).padStart(width, '0');
    }
  }
}

/** @type {WeakMap<object, number[]>} */
const lengths = new WeakMap();

/**
 * @param {Values} values
 * @param {number} digits
 * @returns {number} characters of the longest of some of them
 */
function valueLength(values, digits) {
  const { data } = values;
  const known = lengths.get(data) ?? [];
  lengths.set(data, known);
  if (known[digits] !== undefined) return known[digits];
  let most = 1;
  const step = Math.max(1, Math.floor(data.length / MEASURED_VALUES));
  for (let at = 0; at < data.length; at += step) most = Math.max(most, shortText(values, at, digits).length);
  known[digits] = most;
  return most;
}

/**
 * Characters of the longest text of a cell.
 * @param {Tensor} tensor
 * @param {CellText} text
 * @param {Values | null} values
 * @returns {number}
 */
export function textLength(tensor, text, values) {
  /** @param {number} count */
  const digits = (count) => String(Math.max(0, count - 1)).length;
  switch (resolveText(tensor, text, values)) {
    case 'value':
      return values === null ? 1 : valueLength(values, PRECISIONS[0]);
    case 'letter':
      return 1;
    case 'address':
      return digits(tensor.bufferElements);
    case 'coords':
      return tensor.shape.reduce((sum, size) => sum + digits(size) + 1, -1);
    default:
      return digits(tensor.storedElements());
  }
}
