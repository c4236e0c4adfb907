/** @import { DescriptionJson, Owner, Tensor } from '../types.js' */
import { contains, coordsOf, linearOf } from '../shape.js';
import { coordinateAt, countSharing, digitOf, isBroadcast, loopsOf, placed, reachesOf } from './digits.js';
import { createOwnerSearch, GAP, OUTSIDE } from './owner-search.js';
import { createSharing } from './sharing.js';
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
 * The layout arithmetic of a Description, frozen. A question costs O(rank) where strides nest.
 *
 * Throws a RangeError for an address, size or count beyond 2^53, and for an invalid swizzle.
 * @param {DescriptionJson} description
 * @returns {Tensor}
 */
export function createTensor(description) {
  const shape = description.shape.map((size) => toExact(size, 'shape'));
  const digits = description.digits.map((dimDigits) =>
    placed(
      dimDigits.map(({ extent, stride }) => ({
        extent: toExact(extent, 'extent'),
        stride: toExact(stride, 'stride'),
      })),
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
  const reaches = reachesOf(loops);
  const plainEnd = toExact(origin + reaches[0] + 1, 'span');
  const swizzle = checkSwizzle(description.swizzle);
  const swizzled = swizzleOf(swizzle);
  const nested = loops.every(({ stride }, at) => stride > reaches[at + 1]);
  const broadcastDims = digits.flatMap((dimDigits, dim) => (isBroadcast(dimDigits) ? [dim] : []));

  /** @param {readonly number[]} coords */
  function plainAddressOf(coords) {
    let address = offset;
    for (let dim = 0; dim < rank; dim += 1) {
      const list = digits[dim];
      for (let at = 0; at < list.length; at += 1) address += digitOf(list[at], coords[dim]) * list[at].stride;
    }
    return address;
  }

  /** @param {readonly number[]} coords */
  function addressOf(coords) {
    return swizzled(plainAddressOf(coords));
  }

  /**
   * How many logical elements share the address of these coordinates; 0 for padding.
   * @param {readonly number[]} coords
   */
  function ownersAt(coords) {
    if (!contains(shape, coords)) return 0;
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
    for (const loop of loops) {
      const steps = Math.floor(rest / loop.stride);
      if (steps >= loop.extent) return GAP;
      rest -= steps * loop.stride;
      coords[loop.dim] += coordinateAt(loop, steps);
    }
    if (rest !== 0) return GAP;
    const count = ownersAt(coords);
    if (count === 0) return { kind: 'padding', coords, count };
    return { kind: count === 1 ? 'element' : 'shared', coords, count };
  }

  const search = createOwnerSearch({
    shape, paddedShape, loops, reaches, origin, ownersAt, addressOf: plainAddressOf, bufferElements: plainEnd,
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
    return nested ? ownerInNest(plain) : search.ownerOf(plain, budget);
  }

  const sharing = createSharing({
    shape, digits, elements, nested, search, addressOf: plainAddressOf, disjoint: description.properties?.overlapping === false,
  });

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
    loops,
    addressOf,
    ownerOf,
    ...sharing,
    linearOf: (coords) => linearOf(shape, coords),
    coordsOf: (linear) => coordsOf(shape, linear),
  });
}
