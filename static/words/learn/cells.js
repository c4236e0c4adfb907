/** @import { Tensor } from '../../core/types.js' */

/** @param {Tensor} tensor @returns {boolean} whether its elements share places in memory */
export function isShared(tensor) {
  return tensor.ownerOf(0).kind === 'shared';
}

/**
 * What a cell of a lesson shows: the number of its element, in row-major order; of elements that share places a letter, which
 * nobody takes for an address.
 * @param {Tensor} tensor
 * @param {readonly number[]} element
 */
export function nameIn(tensor, element) {
  return isShared(tensor) ? String.fromCharCode(65 + tensor.addressOf(element)) : String(tensor.linearOf(element));
}

/** @param {Pick<Tensor, 'dims'>} tensor @param {readonly number[]} coords */
export function nameOf({ dims }, coords) {
  return dims.map((dim, at) => `${dim.toLowerCase()} ${coords[at]}`).join(', ');
}

/**
 * What is said beside the name of a tensor.
 * @param {Tensor} tensor
 * @param {{at: readonly number[] | null, of?: Tensor, numbered: boolean, picks: unknown}} shown of: the tensor that it views;
 *   at: the cell that is asked about
 */
export function saidOfPlanes(tensor, { at, of, numbered, picks }) {
  if (of) return 'the same elements';
  if (numbered && isShared(tensor)) return 'same letter: same address';
  // One of them: a line that an answer makes no longer.
  if (numbered) return 'numbered row by row';
  return picks && at ? `framed: ${nameOf(tensor, at)}` : '';
}
