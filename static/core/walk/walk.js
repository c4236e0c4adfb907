/** @import { OwnerKind, Tensor } from '../types.js' */

/**
 * @typedef {object} Visit what one step of a walk meets
 * @property {number} step
 * @property {number} address
 * @property {OwnerKind} kind
 * @property {readonly number[] | null} coords of the element, of several the first; null for padding and gaps
 * @property {number} count elements at this address
 *
 * @typedef {object} Walk a way through a tensor; each step is decoded by itself, in O(rank)
 * @property {Tensor} tensor
 * @property {number} steps
 * @property {readonly number[] | null} order the dimensions as loops, outermost first; null: by address
 * @property {(step: number, budget?: number) => Visit} at budget: of a search for owners, where strides interleave
 * @property {(coords: readonly number[]) => number} stepOf the step that meets an element
 * @property {(address: number) => number | null} stepAt the step that meets an address by itself; null where loops decide
 */

/**
 * The walk over the addresses of the buffer, from 0 on. It meets padding and gaps as well, and an address
 * that elements share once.
 * @param {Tensor} tensor
 * @returns {Readonly<Walk>}
 */
export function memoryWalk(tensor) {
  const { bufferElements, addressOf, ownerOf } = tensor;
  return Object.freeze({
    tensor,
    steps: bufferElements,
    order: null,
    at(/** @type {number} */ step, /** @type {number | undefined} */ budget) {
      const { kind, coords, count } = ownerOf(step, budget);
      const owned = kind === 'element' || kind === 'shared';
      return { step, address: step, kind, coords: owned ? coords : null, count };
    },
    stepOf: addressOf,
    stepAt: (/** @type {number} */ address) => address,
  });
}

/**
 * The walk of nested loops over the coordinates: step t is a number with one digit for each loop. It meets
 * each element once, and so a shared address as often as elements share it.
 * @param {Tensor} tensor
 * @param {readonly number[]} order every dimension once, outermost loop first
 * @returns {Readonly<Walk>}
 */
export function loopWalk(tensor, order) {
  const { shape, elements, addressOf } = tensor;

  /** @param {number} step */
  function coordsOf(step) {
    const coords = new Array(shape.length).fill(0);
    let rest = step;
    for (let at = order.length - 1; at >= 0; at -= 1) {
      const size = shape[order[at]];
      const outer = Math.floor(rest / size);
      coords[order[at]] = rest - outer * size;
      rest = outer;
    }
    return coords;
  }

  return Object.freeze({
    tensor,
    steps: elements,
    order,
    at(/** @type {number} */ step) {
      const coords = coordsOf(step);
      return { step, address: addressOf(coords), kind: /** @type {OwnerKind} */ ('element'), coords, count: 1 };
    },
    stepOf: (/** @type {readonly number[]} */ coords) => order.reduce((step, dim) => step * shape[dim] + coords[dim], 0),
    stepAt: () => null,
  });
}

/**
 * Which step of a walk is meant: whole, and between the first and the last.
 * @param {Walk} walk with steps
 * @param {number} step
 * @returns {number}
 */
export function stepWithin({ steps }, step) {
  return Math.max(0, Math.min(steps - 1, Math.floor(step)));
}
