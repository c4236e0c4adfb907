/** @typedef {import('./types.js').Loop} Loop */
/** @typedef {import('./types.js').Tensor} Tensor */

export const ELEMENT = 0;
export const SHARED = 1;
export const PADDING = 2;
export const GAP = 3;
export const OUTSIDE = 4;
export const UNDETERMINED = 5;

const KIND_CODES = Object.freeze({
  element: ELEMENT,
  shared: SHARED,
  padding: PADDING,
  gap: GAP,
  outside: OUTSIDE,
  undetermined: UNDETERMINED,
});

const MOST_TABLE_ADDRESSES = 2 ** 15;
const MOST_VARIANTS = 32;
/** Steps of the search per address of a picture: a frame has a million of them. */
const PIXEL_BUDGET = 48;

/**
 * @typedef {object} Segment consecutive addresses that one table answers; reused by every call
 * @property {number} start address of table entry 0
 * @property {number} end exclusive
 * @property {number} kind one code for the whole segment, or -1: see `kinds`
 * @property {Uint8Array} kinds code per table entry
 * @property {readonly Float64Array[]} tables per functional, to be added to its base
 * @property {Float64Array} bases per functional
 */

/**
 * @typedef {object} RowDecoder
 * @property {(address: number, count: number) => Segment} locate the segment around an address;
 *   count bounds how far it is worth to look
 */

/**
 * Decodes runs of addresses with one table for the inner loops and a base per run.
 *
 * A functional is one weight per dimension; its value for an element is Σ weight · coordinate.
 * Where strides interleave, or a broadcast digit is padded, each address is asked for on its own.
 * @param {Tensor} tensor
 * @param {readonly (readonly number[])[]} functionals
 * @returns {RowDecoder}
 */
export function createRowDecoder(tensor, functionals) {
  const countsVary = tensor.digits.some(
    (digits, dim) =>
      tensor.paddedShape[dim] !== tensor.shape[dim] &&
      digits.some(({ extent, stride }) => stride === 0 && extent > 1),
  );
  const arithmetic = tensor.nested && !countsVary && tensor.elements > 0;
  return arithmetic ? createNestDecoder(tensor, functionals) : createAskingDecoder(tensor, functionals);
}

/**
 * @param {Tensor} tensor
 * @param {readonly (readonly number[])[]} functionals
 * @returns {RowDecoder}
 */
function createAskingDecoder(tensor, functionals) {
  const most = 4096;
  /** @type {Segment} */
  const segment = {
    start: 0,
    end: 0,
    kind: -1,
    kinds: new Uint8Array(most),
    tables: functionals.map(() => new Float64Array(most)),
    bases: new Float64Array(functionals.length),
  };
  return {
    locate(address, count) {
      const size = Math.max(1, Math.min(most, Math.ceil(count)));
      segment.start = address;
      segment.end = address + size;
      for (let at = 0; at < size; at += 1) {
        const { kind, coords } = tensor.ownerOf(address + at, PIXEL_BUDGET);
        segment.kinds[at] = KIND_CODES[kind];
        if (coords === null) continue;
        functionals.forEach((weights, index) => {
          let sum = 0;
          for (let dim = 0; dim < coords.length; dim += 1) sum += weights[dim] * coords[dim];
          segment.tables[index][at] = sum;
        });
      }
      return segment;
    },
  };
}

/**
 * Splits the loops into those that one table holds and those that give its base.
 * @param {readonly Loop[]} loops largest stride first
 * @returns {{outer: readonly Loop[], inner: readonly Loop[], split: Loop | null, part: number, size: number}}
 *   split: an outer loop whose first `part` steps are in the table too; size: table addresses
 */
function planTable(loops) {
  const outer = [...loops];
  /** @type {Loop[]} */
  const inner = [];
  let size = 1;
  while (outer.length > 0) {
    const loop = outer[outer.length - 1];
    const whole = size + (loop.extent - 1) * loop.stride;
    if (whole > MOST_TABLE_ADDRESSES) {
      const part = Math.floor((MOST_TABLE_ADDRESSES - size) / loop.stride) + 1;
      if (part < 2) return { outer, inner, split: null, part: 1, size };
      return { outer, inner, split: loop, part, size: size + (part - 1) * loop.stride };
    }
    inner.unshift(loop);
    outer.pop();
    size = whole;
  }
  return { outer, inner, split: null, part: 1, size };
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
  fillTables(tableLoops, sums, occupied, tables, sharedOf(tensor) ? SHARED : ELEMENT);

  const constants = sums.map((weights) =>
    loops.reduce(
      (sum, { dim, extent, flipped, weight }) =>
        sum + (flipped ? weights[dim] * weight * (extent - 1) : 0),
      0,
    ),
  );
  const steps = outer.map(({ dim, flipped, weight }) =>
    sums.map((weights) => weights[dim] * weight * (flipped ? -1 : 1)),
  );
  const paddingTables = tables.slice(functionals.length);
  const spans = paddingTables.map(minMax);
  const splitReach = split === null ? 0 : size - (part - 1) * split.stride;

  /** @type {Map<string, Uint8Array>} */
  const variants = new Map();
  const bases = new Float64Array(sums.length);
  /** @type {Segment} */
  const segment = { start: 0, end: 0, kind: -1, kinds: occupied, tables, bases };

  /** Padding begins where the base and the table together leave the shape. */
  function kindsAtBase() {
    let key = '';
    let whole = true;
    for (let at = 0; at < paddedDims.length; at += 1) {
      const room = shape[paddedDims[at]] - bases[functionals.length + at];
      const [least, most] = spans[at];
      const limit = room > most ? Infinity : Math.max(room, least);
      whole &&= limit === Infinity;
      key += `${limit},`;
    }
    if (whole) return occupied;
    let kinds = variants.get(key);
    if (kinds === undefined) {
      kinds = withPadding(occupied, paddingTables, key.split(',').slice(0, -1).map(Number));
      if (variants.size >= MOST_VARIANTS) variants.clear();
      variants.set(key, kinds);
    }
    return kinds;
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

  /** @param {number} address */
  function locate(address) {
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
    segment.kinds = paddedDims.length === 0 ? occupied : kindsAtBase();
    return segment;
  }
  return { locate };
}

/**
 * @param {Tensor} tensor
 * @returns {boolean} every address has several owners
 */
function sharedOf(tensor) {
  return tensor.digits.some((digits) =>
    digits.some(({ extent, stride }) => stride === 0 && extent > 1),
  );
}

/**
 * @param {readonly Loop[]} loops
 * @param {readonly (readonly number[])[]} sums
 * @param {Uint8Array} occupied
 * @param {readonly Float64Array[]} tables
 * @param {number} kind of an element
 */
function fillTables(loops, sums, occupied, tables, kind) {
  const signs = loops.map(({ dim, flipped, weight }) =>
    sums.map((weights) => weights[dim] * weight * (flipped ? -1 : 1)),
  );
  const digits = new Array(loops.length).fill(0);
  for (;;) {
    let at = 0;
    for (let loop = 0; loop < loops.length; loop += 1) at += digits[loop] * loops[loop].stride;
    occupied[at] = kind;
    for (let sum = 0; sum < sums.length; sum += 1) {
      let value = 0;
      for (let loop = 0; loop < loops.length; loop += 1) value += digits[loop] * signs[loop][sum];
      tables[sum][at] = value;
    }
    let loop = loops.length - 1;
    while (loop >= 0 && digits[loop] + 1 === loops[loop].extent) {
      digits[loop] = 0;
      loop -= 1;
    }
    if (loop < 0) return;
    digits[loop] += 1;
  }
}

/**
 * @param {Float64Array} table
 * @returns {[number, number]}
 */
function minMax(table) {
  let least = Infinity;
  let most = -Infinity;
  for (const value of table) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/**
 * @param {Uint8Array} occupied
 * @param {readonly Float64Array[]} coordinates per padded dimension
 * @param {readonly number[]} limits first coordinate beyond the shape, per padded dimension
 * @returns {Uint8Array}
 */
function withPadding(occupied, coordinates, limits) {
  const kinds = occupied.slice();
  limits.forEach((limit, index) => {
    const coordinate = coordinates[index];
    for (let at = 0; at < kinds.length; at += 1) {
      if (kinds[at] !== GAP && coordinate[at] >= limit) kinds[at] = PADDING;
    }
  });
  return kinds;
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

/**
 * Weights of the row-major logical index.
 * @param {readonly number[]} shape
 * @returns {number[]}
 */
export function rowMajorWeights(shape) {
  const weights = new Array(shape.length).fill(1);
  for (let dim = shape.length - 2; dim >= 0; dim -= 1) weights[dim] = weights[dim + 1] * shape[dim + 1];
  return weights;
}
