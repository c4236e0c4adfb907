/** @import { Swizzle } from '../types.js' */
/** @import { Segment, RowDecoder } from './decoder.js' */
import { GAP, OUTSIDE } from '../layout/kinds.js';
import { worthDecoding } from './table.js';
import { periodOf, swizzleOf } from '../layout/swizzle.js';

/**
 * Decodes runs of swizzled addresses: each is looked up at its place in the layout without the
 * swizzle. Aligned periods that hold no element are answered at once.
 * @param {Swizzle} swizzle
 * @param {number} bufferElements
 * @param {RowDecoder} plain of the same layout without its swizzle, in a buffer without end
 * @param {number} functionals how many tables to fill
 * @returns {RowDecoder}
 */
export function createSwizzledDecoder(swizzle, bufferElements, plain, functionals) {
  const swizzled = swizzleOf(swizzle);
  const period = periodOf(swizzle);
  const most = worthDecoding(Infinity, 1);
  const kinds = new Uint8Array(most);
  const tables = Array.from({ length: functionals }, () => new Float64Array(most));
  /** @type {Segment} */
  const segment = { start: 0, end: 0, kind: -1, kinds, tables, bases: new Float64Array(functionals), varies: tables.map(() => true) };

  /**
   * @param {number} end
   * @param {number} kind
   */
  function uniform(end, kind) {
    segment.end = end;
    segment.kind = kind;
    return segment;
  }

  return {
    locate(address, count, step = 1) {
      segment.start = address;
      if (address < 0) return uniform(0, OUTSIDE);
      if (address >= bufferElements) return uniform(Infinity, OUTSIDE);
      const aligned = address - (address % period);
      let found = plain.locate(aligned, period);
      if (found.kind >= 0 && found.end >= aligned + period) {
        return uniform(Math.min(bufferElements, Math.floor(found.end / period) * period), GAP);
      }
      const size = worthDecoding(Math.min(count, bufferElements - address), step);
      for (let at = 0; at < size; at += 1) {
        const place = swizzled(address + at);
        if (place < found.start || place >= found.end) found = plain.locate(place, 1);
        if (found.kind >= 0) {
          kinds[at] = GAP;
          continue;
        }
        const entry = place - found.start;
        kinds[at] = found.kinds[entry];
        for (let sum = 0; sum < functionals; sum += 1) {
          tables[sum][at] = found.bases[sum] + found.tables[sum][entry];
        }
      }
      return uniform(address + size, -1);
    },
  };
}
