/** @import { Tensor } from '../types.js' */
/** @import { Visit, Walk } from './walk.js' */
import { digitOf } from '../layout/digits.js';
import { symbolOf } from '../layout/explain.js';

/** @typedef {{dim: number, name: string, index: number}} Counter name: such as h, or ⌊c/4⌋ for a digit of c */

/**
 * The counters of the loops at one step, outermost first. By address, the loops are the layout's own digits,
 * from the largest stride to the smallest; where these do not nest, there are none, and none at a gap.
 * @param {Walk} walk
 * @param {Visit} visit
 * @returns {readonly Counter[]}
 */
export function countersOf({ tensor, order }, { address, coords }) {
  if (order === null) return digitsAt(tensor, address);
  return order.map((dim) => ({ dim, name: tensor.dims[dim].toLowerCase(), index: coords?.[dim] ?? 0 }));
}

/**
 * The place of the outermost loop that moved in the last step; all loops inside it begin again.
 * @param {Walk} walk
 * @param {Visit} visit
 * @returns {number} -1 at the first step, and where it is not known
 */
export function movedLoop(walk, visit) {
  const now = countersOf(walk, visit);
  if (visit.step === 0 || now.length === 0) return -1;
  const before = countersOf(walk, walk.at(visit.step - 1));
  return before.length === now.length ? now.findIndex(({ index }, at) => index !== before[at].index) : -1;
}

/**
 * @param {Tensor} tensor
 * @param {number} address
 * @returns {readonly Counter[]}
 */
function digitsAt({ nested, swizzle, loops, digits, dims, origin, ownerOf }, address) {
  if (!nested || swizzle !== null || address < origin) return [];
  const { kind, coords } = ownerOf(address);
  if (coords === null || kind === 'undetermined') return [];
  return loops.map(({ dim, weight }) => {
    const at = digits[dim].findIndex((digit) => digit.weight === weight && digit.extent > 1);
    const digit = digits[dim][at];
    const outermost = digits[dim].slice(0, at).every(({ extent }) => extent === 1);
    return { dim, name: symbolOf(dims[dim].toLowerCase(), weight, digit.extent, outermost), index: digitOf(digit, coords[dim]) };
  });
}
