/** @import { LogicalGrid, PlacedDigit, Tensor } from '../types.js' */

/** A long prime block has no parts. */
const MOST_STEPS_TRIED = 4096;

/**
 * @param {readonly PlacedDigit[]} digits of a dimension, outermost first
 * @param {number} extent of the dimension
 * @returns {number} coordinates of one of its blocks; 0 where it has none, or only one
 */
export function blockOf(digits, extent) {
  const block = digits.slice(1).reduce((all, digit) => all * digit.extent, 1);
  return block > 1 && block < extent ? block : 0;
}

/** Elements that one window shows so that they can be told apart. */
const MOST_WHOLE = 4096;

/**
 * Whether blocks would be lost in the whole of a tensor: its grids then open on the first block, and name coordinates.
 * @param {Pick<Tensor, 'shape' | 'digits' | 'elements' | 'swizzle'>} tensor
 * @returns {boolean}
 */
export function opensOnBlock({ shape, digits, elements, swizzle }) {
  return elements > MOST_WHOLE && !swizzle && digits.some((own, dim) => blockOf(own, shape[dim]) > 0);
}

/**
 * @typedef {object} LogicalBlocks where blocks begin among the planes; an empty list or 0 for nowhere
 * @property {number} columns of a plane
 * @property {number} rows of a plane
 * @property {number} places planes side by side
 * @property {readonly number[]} lines of planes below each other, the shorter step first
 */

/**
 * @param {Tensor} tensor
 * @param {LogicalGrid} grid
 * @returns {LogicalBlocks}
 */
export function logicalBlocks({ shape, digits }, { order, planesAcross, slots }) {
  const [before, last, rows, columns] = [-4, -3, -2, -1].map((from) => {
    const dim = order.at(from);
    return dim === undefined ? 0 : blockOf(digits[dim], shape[dim]);
  });
  const blocks = slots % last === 0 ? last : 0;
  const linesOfGroup = planesAcross < slots ? Math.ceil(slots / planesAcross) : slots / planesAcross;
  const lines = [blocks / planesAcross, before * linesOfGroup];
  return {
    columns,
    rows,
    places: planesAcross % blocks === 0 ? blocks : 0,
    lines: lines.filter((each) => each >= 1 && Number.isInteger(each)),
  };
}

/**
 * Where blocks begin in memory: the steps of the dimensions that have some, without that from element to element.
 * A swizzle takes blocks apart.
 * @param {Tensor} tensor
 * @param {number} rowLength_elems
 * @returns {{columns: readonly number[], rows: readonly number[]}} in cells, the shorter step first
 */
export function memoryBlocks({ loops, digits, shape, origin, swizzle }, rowLength_elems) {
  const steps = swizzle || origin !== 0 ? [] : loops
    .filter(({ dim, stride }) => stride > 1 && blockOf(digits[dim], shape[dim]) > 0)
    .map(({ stride }) => stride)
    .reverse();
  return {
    columns: steps.filter((stride) => stride < rowLength_elems && rowLength_elems % stride === 0),
    rows: steps.filter((stride) => stride % rowLength_elems === 0).map((stride) => stride / rowLength_elems),
  };
}

/**
 * @param {readonly number[]} blocks the shorter first
 * @param {number} least
 * @returns {number} the shortest step of at least so many that meets where blocks begin; 0 without blocks
 */
export function stepOfBlocks(blocks, least) {
  const longest = blocks[blocks.length - 1];
  if (!longest) return 0;
  const first = Math.max(1, Math.ceil(least));
  for (const block of blocks) {
    for (let step = first; step < Math.min(block, first + MOST_STEPS_TRIED); step += 1) {
      if (block % step === 0) return step;
    }
    if (block >= first) return block;
  }
  return Math.ceil(least / longest) * longest;
}
