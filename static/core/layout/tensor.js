/** @typedef {import('../types.js').DescriptionJson} DescriptionJson */
/** @typedef {import('../types.js').Digit} Digit */
/** @typedef {import('../types.js').Loop} Loop */
/** @typedef {import('../types.js').Owner} Owner */
/** @typedef {import('../types.js').Tensor} Tensor */
import { createOwnerSearch, GAP, OUTSIDE } from './owner-search.js';
import { checkSwizzle, swizzleOf } from './swizzle.js';

/**
 * @param {unknown} value an integer of the API, a string beyond 2^53
 * @param {string} field
 * @returns {number}
 */
function toExact(value, field) {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    throw new RangeError(`drawing needs addresses below 2^53: ${field} is ${String(value)}`);
  }
  return number;
}

/**
 * @param {readonly number[]} factors
 * @param {string} field
 * @returns {number}
 */
function exactProduct(factors, field) {
  if (factors.includes(0)) return 0;
  return factors.reduce((product, factor) => toExact(product * factor, field), 1);
}

/**
 * Loops over the non-zero strides, largest first; flips become an origin.
 * @param {readonly (readonly Digit[])[]} digits
 * @param {number} offset
 * @returns {{loops: Loop[], origin: number}}
 */
function loopsOf(digits, offset) {
  /** @type {Loop[]} */
  const loops = [];
  let origin = offset;
  digits.forEach((dimDigits, dim) => {
    let weight = 1;
    for (const { extent, stride } of [...dimDigits].reverse()) {
      if (extent > 1 && stride !== 0) {
        const flipped = stride < 0;
        if (flipped) origin += (extent - 1) * stride;
        loops.push(Object.freeze({ dim, extent, stride: Math.abs(stride), flipped, weight }));
      }
      weight *= extent;
    }
  });
  loops.sort((left, right) => right.stride - left.stride);
  return { loops, origin };
}

/**
 * @param {readonly Loop[]} loops largest stride first
 * @returns {boolean}
 */
function strideCoversSmaller(loops) {
  let reach = 0;
  for (const { extent, stride } of [...loops].reverse()) {
    if (stride <= reach) return false;
    reach += (extent - 1) * stride;
  }
  return true;
}

/**
 * How many coordinates below `size` have the same digits as `coordinate` where strides are
 * non-zero, whatever their broadcast digits.
 * @param {readonly Digit[]} digits outermost first
 * @param {number} coordinate
 * @param {number} size
 * @returns {number}
 */
export function countSharing(digits, coordinate, size) {
  if (size === 0) return 0;
  let weight = digits.reduce((product, { extent }) => product * extent, 1);
  let below = 0;
  let tight = true;
  for (const { extent, stride } of digits) {
    weight /= extent;
    const last = Math.floor((size - 1) / weight) % extent;
    if (stride === 0) {
      below = below * extent + (tight ? last : 0);
    } else {
      const digit = Math.floor(coordinate / weight) % extent;
      if (tight && digit < last) below += 1;
      tight = tight && digit === last;
    }
  }
  return below + (tight ? 1 : 0);
}

/**
 * Layout arithmetic of a Description: frozen, O(rank) per question where strides nest.
 *
 * RangeError with an address, size or count beyond 2^53, or with a swizzle that is none.
 * @param {DescriptionJson} description
 * @returns {Tensor}
 */
export function createTensor(description) {
  const shape = description.shape.map((size) => toExact(size, 'shape'));
  const digits = description.digits.map((dimDigits) =>
    Object.freeze(
      dimDigits.map(({ extent, stride }) =>
        Object.freeze({ extent: toExact(extent, 'extent'), stride: toExact(stride, 'stride') }),
      ),
    ),
  );
  const rank = shape.length;
  const offset = toExact(description.offset, 'offset');
  const bufferElements = toExact(description.buffer.elements, 'buffer.elements');
  const elements = exactProduct(shape, 'number of elements');
  const paddedShape = digits.map((dimDigits) =>
    exactProduct(dimDigits.map(({ extent }) => extent), 'padded_shape'),
  );
  const { loops, origin } = loopsOf(digits, offset);
  const reach = loops.reduce((sum, { extent, stride }) => sum + (extent - 1) * stride, 0);
  const plainEnd = toExact(origin + reach + 1, 'span');
  const swizzle = checkSwizzle(description.swizzle);
  const swizzled = swizzleOf(swizzle);
  const nested = strideCoversSmaller(loops);
  const broadcastDims = digits.flatMap((dimDigits, dim) =>
    dimDigits.some(({ extent, stride }) => stride === 0 && extent > 1) ? [dim] : [],
  );

  /** @param {readonly number[]} coords */
  function plainAddressOf(coords) {
    let address = offset;
    for (let dim = 0; dim < rank; dim += 1) {
      let rest = coords[dim];
      for (let at = digits[dim].length - 1; at >= 0; at -= 1) {
        const { extent, stride } = digits[dim][at];
        const outer = at === 0 ? 0 : Math.floor(rest / extent);
        address += (rest - outer * extent) * stride;
        rest = outer;
      }
    }
    return address;
  }

  /** @param {readonly number[]} coords */
  function addressOf(coords) {
    return swizzled(plainAddressOf(coords));
  }

  /** @param {readonly number[]} coords */
  function linearOf(coords) {
    let linear = 0;
    for (let dim = 0; dim < rank; dim += 1) linear = linear * shape[dim] + coords[dim];
    return linear;
  }

  /** @param {number} linear */
  function coordsOf(linear) {
    const coords = new Array(rank).fill(0);
    let rest = linear;
    for (let dim = rank - 1; dim >= 0; dim -= 1) {
      const outer = Math.floor(rest / shape[dim]);
      coords[dim] = rest - outer * shape[dim];
      rest = outer;
    }
    return coords;
  }

  /**
   * Logical elements that share these coordinates' non-zero digits; 0 for padding.
   * @param {readonly number[]} coords
   */
  function ownersAt(coords) {
    for (let dim = 0; dim < rank; dim += 1) if (coords[dim] >= shape[dim]) return 0;
    return broadcastDims.reduce(
      (count, dim) => count * countSharing(digits[dim], coords[dim], shape[dim]),
      1,
    );
  }

  /**
   * @param {number} address before the swizzle
   * @returns {Owner}
   */
  function ownerInNest(address) {
    let rest = address - origin;
    if (rest < 0) return GAP;
    const coords = new Array(rank).fill(0);
    for (const { dim, extent, stride, flipped, weight } of loops) {
      const digit = Math.floor(rest / stride);
      if (digit >= extent) return GAP;
      rest -= digit * stride;
      coords[dim] += weight * (flipped ? extent - 1 - digit : digit);
    }
    if (rest !== 0) return GAP;
    const count = ownersAt(coords);
    if (count === 0) return { kind: 'padding', coords, count };
    return { kind: count === 1 ? 'element' : 'shared', coords, count };
  }

  const search = createOwnerSearch({
    shape, paddedShape, loops, origin, ownersAt, addressOf: plainAddressOf, bufferElements: plainEnd,
  });

  /**
   * @param {number} address
   * @param {number} [budget] steps of the search where strides interleave
   * @returns {Owner}
   */
  function ownerOf(address, budget) {
    if (!(address >= 0 && address < bufferElements)) return OUTSIDE;
    if (paddedShape.includes(0)) return GAP;
    const plain = swizzled(address);
    if (plain >= plainEnd) return GAP;
    return nested ? ownerInNest(plain) : search(plain, budget);
  }

  return Object.freeze({
    shape: Object.freeze(shape),
    dims: Object.freeze([...description.dims]),
    digits: Object.freeze(digits),
    offset,
    swizzle,
    paddedShape: Object.freeze(paddedShape),
    elements,
    bufferElements,
    nested,
    origin,
    loops: Object.freeze(loops),
    addressOf,
    ownerOf,
    linearOf,
    coordsOf,
  });
}
