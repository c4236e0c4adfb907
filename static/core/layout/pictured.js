/** @import { Tensor } from '../types.js' */
import { GAP, OUTSIDE } from './owner-search.js';

/**
 * A tensor whose layout is not told: what lies at each address is all that is known of it.
 * @param {Tensor} tensor of the same shape, in row-major order
 * @param {readonly (number | null)[]} memory for each address the number of its element in row-major order; null where there is none
 * @returns {Tensor}
 */
export function pictured(tensor, memory) {
  return Object.freeze({
    ...tensor,
    bufferElements: memory.length,
    loops: Object.freeze([]),
    addressOf: (coords) => memory.indexOf(tensor.linearOf(coords)),
    ownerOf: (address) => {
      const number = memory[address];
      if (number === undefined) return OUTSIDE;
      return number === null ? GAP : { kind: 'element', coords: tensor.coordsOf(number), count: 1 };
    },
  });
}
