/** @import { Tensor } from '../types.js' */
import { coordinateAt, isBroadcast } from '../layout/digits.js';
import { ELEMENT, GAP, KIND_CODES, OUTSIDE, SHARED } from '../layout/kinds.js';
import { weighted } from '../shape.js';
import { createSwizzledDecoder } from './swizzled.js';
import { fillTables, markPadding, minMax, planTable, stepsOf, worthDecoding } from './table.js';

const MOST_VARIANTS = 32;
/** Steps of the search per row, and the least per address: a drawing asks for a million addresses. */
const ROW_BUDGET = 2 ** 12;
const PIXEL_BUDGET = 24;

/**
 * @typedef {object} Segment consecutive addresses that one table answers; the next call overwrites it
 * @property {number} start address of table entry 0
 * @property {number} end exclusive
 * @property {number} kind one code for the whole segment, or -1: see `kinds`
 * @property {Uint8Array} kinds code per table entry
 * @property {readonly Float64Array[]} tables per functional: what to add to its base
 * @property {Float64Array} bases per functional
 * @property {readonly boolean[]} varies per functional: false where its table has nothing but zeros
 */

/**
 * @typedef {object} RowDecoder
 * @property {(address: number, count: number, step?: number) => Segment} locate the segment around
 *   an address, of which the next `count` addresses are wanted, or every `step`-th of them
 */

/**
 * Decodes runs of addresses with one table for the inner loops and a base per run.
 *
 * A functional is one weight per dimension; its value for an element is Σ weight · coordinate.
 * Where strides interleave, or a broadcast digit is padded, each address is searched for by itself.
 * Under a swizzle, each address is looked up in the tables of the layout without the swizzle.
 * @param {Tensor} tensor
 * @param {readonly (readonly number[])[]} functionals
 * @returns {RowDecoder}
 */
export function createRowDecoder(tensor, functionals) {
  const countsVary = tensor.digits.some(
    (digits, dim) => tensor.paddedShape[dim] !== tensor.shape[dim] && isBroadcast(digits),
  );
  const arithmetic = tensor.nested && !countsVary && tensor.elements > 0;
  if (!arithmetic) return createAskingDecoder(tensor, functionals);
  const { swizzle, bufferElements } = tensor;
  if (swizzle === null) return createNestDecoder(tensor, functionals);
  const plain = createNestDecoder({ ...tensor, bufferElements: Infinity }, functionals);
  return createSwizzledDecoder(swizzle, bufferElements, plain, functionals.length);
}

/**
 * @param {Tensor} tensor
 * @param {readonly (readonly number[])[]} functionals
 * @returns {RowDecoder}
 */
function createAskingDecoder(tensor, functionals) {
  const most = worthDecoding(Infinity, 1);
  /** @type {Segment} */
  const segment = {
    start: 0,
    end: 0,
    kind: -1,
    kinds: new Uint8Array(most),
    tables: functionals.map(() => new Float64Array(most)),
    bases: new Float64Array(functionals.length),
    varies: functionals.map(() => true),
  };
  return {
    locate(address, count, step = 1) {
      const size = worthDecoding(count, step);
      segment.start = address;
      segment.end = address + size;
      const budget = Math.max(PIXEL_BUDGET, Math.floor(ROW_BUDGET / count));
      for (let at = 0; at < size; at += 1) {
        const { kind, coords, count: owners } = tensor.ownerOf(address + at, budget);
        // Two owners are enough to know that the address is shared, even if the search is not finished.
        segment.kinds[at] = owners > 1 ? SHARED : KIND_CODES[kind];
        if (coords === null) continue;
        functionals.forEach((weights, index) => {
          segment.tables[index][at] = weighted(weights, coords);
        });
      }
      return segment;
    },
  };
}

/**
 * @param {Tensor} tensor
 * @param {readonly (readonly number[])[]} functionals
 * @returns {RowDecoder}
 */
function createNestDecoder(tensor, functionals) {
  const { shape, paddedShape, loops, origin, bufferElements } = tensor;
  const { outer, inner, split, part, size } = planTable(loops);
  const paddedDims = shape.flatMap((extent, dim) => (extent < paddedShape[dim] ? [dim] : []));
  const paddedUnits = paddedDims.map((dim) => shape.map((_, at) => (at === dim ? 1 : 0)));
  const sums = [...functionals, ...paddedUnits];

  const occupied = new Uint8Array(size).fill(GAP);
  const tables = sums.map(() => new Float64Array(size));
  const tableLoops = split === null ? inner : [{ ...split, extent: part }, ...inner];
  fillTables(tableLoops, sums, occupied, tables, tensor.digits.some(isBroadcast) ? SHARED : ELEMENT);

  const constants = sums.map((weights) =>
    loops.reduce((sum, loop) => sum + weights[loop.dim] * coordinateAt(loop, 0), 0),
  );
  const steps = outer.map((loop) => stepsOf(loop, sums));
  const paddingTables = tables.slice(functionals.length);
  const spans = paddingTables.map((table) => minMax(table, occupied));
  const splitReach = split === null ? 0 : size - (part - 1) * split.stride;

  /** @type {Map<string, Uint8Array>} */
  const variants = new Map();
  const scratch = new Uint8Array(paddedDims.length === 0 ? 0 : size);
  const limits = new Float64Array(paddedDims.length);
  const bases = new Float64Array(sums.length);
  /** @type {Segment} */
  const segment = { start: 0, end: 0, kind: -1, kinds: occupied, tables, bases, varies: tables.map((table) => table.some(Boolean)) };

  /**
   * Makes the kinds of table entries: padding is where the base and the table add up to a place beyond
   * the shape. A table of all entries is kept for some bases; for others only the wanted ones are made.
   * @param {number} from entry
   * @param {number} wanted entries
   * @returns {number} how many entries from this one on have their kind
   */
  function setKinds(from, wanted) {
    let whole = true;
    for (let at = 0; at < paddedDims.length; at += 1) {
      const room = shape[paddedDims[at]] - bases[functionals.length + at];
      const [least, most] = spans[at];
      limits[at] = room > most ? Infinity : Math.max(room, least);
      whole &&= limits[at] === Infinity;
    }
    segment.kinds = occupied;
    if (whole) return size;
    const key = limits.join();
    let kinds = variants.get(key);
    if (kinds === undefined && variants.size < MOST_VARIANTS) {
      kinds = occupied.slice();
      markPadding(kinds, paddingTables, limits, 0, size);
      variants.set(key, kinds);
    }
    segment.kinds = kinds ?? scratch;
    if (kinds !== undefined) return size;
    const end = Math.min(size, from + wanted);
    scratch.set(occupied.subarray(from, end), from);
    markPadding(scratch, paddingTables, limits, from, end);
    return end - from;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} kind
   */
  function uniform(start, end, kind) {
    segment.start = start;
    segment.end = end;
    segment.kind = kind;
    return segment;
  }

  /**
   * @param {number} address
   * @param {number} count
   * @param {number} [step]
   */
  function locate(address, count, step = 1) {
    if (address < 0) return uniform(address, 0, OUTSIDE);
    if (address >= bufferElements) return uniform(address, Infinity, OUTSIDE);
    if (address < origin) return uniform(address, Math.min(origin, bufferElements), GAP);
    let rest = address - origin;
    let end = bufferElements;
    let room = size;
    for (let at = 0; at < bases.length; at += 1) bases[at] = constants[at];
    for (let at = 0; at < outer.length; at += 1) {
      const { extent, stride } = outer[at];
      let digit = Math.floor(rest / stride);
      if (digit >= extent) return uniform(address, end, GAP);
      if (outer[at] === split) {
        digit -= digit % part;
        room = (Math.min(part, extent - digit) - 1) * stride + splitReach;
        end = Math.min(end, address - rest + (digit + part) * stride);
      } else {
        end = Math.min(end, address - rest + (digit + 1) * stride);
      }
      rest -= digit * stride;
      for (let sum = 0; sum < bases.length; sum += 1) bases[sum] += steps[at][sum] * digit;
    }
    if (rest >= room) return uniform(address, end, GAP);
    segment.start = address - rest;
    segment.end = Math.min(end, address - rest + room);
    segment.kind = -1;
    if (paddedDims.length > 0) segment.end = Math.min(segment.end, address + setKinds(rest, worthDecoding(count, step)));
    return segment;
  }
  return { locate };
}

/**
 * Kinds and row-major logical indices of `count` consecutive addresses.
 *
 * linear is meaningful for elements (the first owner of shared ones) and NaN elsewhere.
 * @param {RowDecoder} decoder
 * @param {number} address
 * @param {number} count
 * @param {number} [functional] the one made with the row-major weights
 * @returns {{kinds: Uint8Array, linear: Float64Array}}
 */
export function decodeRow(decoder, address, count, functional = 0) {
  const kinds = new Uint8Array(count);
  const linear = new Float64Array(count).fill(NaN);
  for (let at = 0; at < count; ) {
    const segment = decoder.locate(address + at, count - at);
    const end = Math.min(count, segment.end - address);
    if (segment.kind >= 0) {
      kinds.fill(segment.kind, at, end);
      at = end;
      continue;
    }
    for (; at < end; at += 1) {
      const entry = address + at - segment.start;
      kinds[at] = segment.kinds[entry];
      if (kinds[at] <= SHARED) linear[at] = segment.bases[functional] + segment.tables[functional][entry];
    }
  }
  return { kinds, linear };
}
