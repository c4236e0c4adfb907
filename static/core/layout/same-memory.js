/** @import { Tensor } from '../types.js' */

/**
 * The element of another tensor over the same memory that lies where an element of this one lies.
 * @param {Tensor} other
 * @param {Tensor} tensor
 * @param {readonly number[]} coords of `tensor`
 * @returns {readonly number[] | null} coordinates of `other`; null where it has no element there
 */
export function coordsIn(other, tensor, coords) {
  return other === tensor ? coords : elementAt(other, tensor.addressOf(coords));
}

/**
 * @param {Tensor} tensor
 * @param {number} address
 * @returns {readonly number[] | null} of the first element there; null for padding, gaps and what is not decided
 */
export function elementAt(tensor, address) {
  const { kind, coords } = tensor.ownerOf(address);
  return kind === 'element' || kind === 'shared' ? coords : null;
}

/**
 * @param {Tensor | null | undefined} tensor
 * @param {Tensor} other
 * @returns {Tensor | null} the first, where its shape is that of the other
 */
export function sameShape(tensor, other) {
  return tensor && String(tensor.shape) === String(other.shape) ? tensor : null;
}
