/** @import { PainterOptions, Tensor, Values } from './types.js' */
/** @import { Scale } from '../core/palette.js' */
import { SHADES } from '../core/palette.js';
import { productOf, rowMajorWeights } from '../core/shape.js';

/**
 * @typedef {object} ColourPlan how coordinates become a place in the palette
 * @property {Scale} scale
 * @property {number} dim whose index decides the hue, or the shade on a scale without hues; -1 for none
 * @property {readonly number[]} hue weight per dimension; the sum modulo 8 is the palette's row
 * @property {readonly number[]} light weight per dimension; the sum's whole part is the shade, or the
 *   place in `shades`
 * @property {Uint8Array | null} shades per element in row-major order
 * @property {readonly [number, number] | null} range what the ends of a scale from low to high stand for
 */

/** A little less than SHADES, so that a rounded sum stays below it. */
const TOP_SHADE = SHADES - 1e-3;
const MOST_FLAT_EXTENT = 8;

/** @typedef {{shades: Uint8Array, range: readonly [number, number] | null}} Shaded */
/** @type {WeakMap<object, Map<string, Shaded>>} */
const shadesOfData = new WeakMap();

/**
 * The dimension of the channels, whose index says what a value is, not where: the blocked one, else one
 * named C, else the second; of a matrix the first.
 *
 * The alphabet is no name: aBcd4b and nChw4c are the same memory and have the same colours.
 * @param {Tensor} tensor
 * @returns {number} -1 for rank 0 and 1
 */
export function channelDim({ shape, dims, digits }) {
  const large = shape.flatMap((extent, dim) => (extent > 1 ? [dim] : []));
  if (large.length < 2) return -1;
  // Where the last dimension is blocked too, the blocks are tiles of the plane.
  const tiled = isBlocked(digits[shape.length - 1]);
  const outer = large.filter((dim) => dim < (tiled ? shape.length - 2 : Math.max(2, shape.length - 2)));
  const blocked = (shape.length === 2 ? large : outer).filter((dim) => isBlocked(digits[dim]));
  if (shape.length === 2) return blocked.length === 1 ? blocked[0] : 0;
  if (blocked.length > 0) return blocked[blocked.length - 1];
  const named = isAlphabet(dims) ? -1 : dims.findIndex((dim) => dim.toUpperCase() === 'C');
  if (named >= 0 && shape[named] > 1) return named;
  if (shape[1] > 1) return 1;
  return large.length === 2 ? large[0] : large[large.length - 3];
}

/** @param {readonly string[]} dims */
function isAlphabet(dims) {
  return dims.every((dim, at) => dim.toLowerCase() === String.fromCharCode(97 + at));
}

/**
 * @param {readonly import('../core/types.js').PlacedDigit[]} digits of one dimension, outermost first
 * @returns {boolean} whether no single stride expresses them
 */
function isBlocked(digits) {
  const large = digits.filter(({ extent }) => extent > 1);
  return large.some(({ stride }, at) => {
    const inner = large[at + 1];
    return inner !== undefined && stride !== inner.stride * inner.extent;
  });
}

/**
 * One shade per element, cached per data: pictures as they are, other data from least to greatest, complex numbers by their absolute values.
 * @param {Values} values
 * @returns {Shaded} range: null where no value is finite
 */
function shadesOf({ data, role }) {
  const known = shadesOfData.get(data) ?? new Map();
  shadesOfData.set(data, known);
  const cached = known.get(role);
  if (cached !== undefined) return cached;
  const shades = new Uint8Array(data.length);
  let least = role === 'picture' ? 0 : Infinity;
  let most = role === 'picture' ? 255 : -Infinity;
  if (role === 'data') {
    for (let at = 0; at < data.length; at += 1) {
      const value = Number(data[at]);
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  const scale = most > least ? (SHADES - 1) / (most - least) : 0;
  for (let at = 0; at < data.length; at += 1) {
    const shade = (Number(data[at]) - least) * scale;
    shades[at] = Number.isNaN(shade) ? 0 : Math.max(0, Math.min(SHADES - 1, Math.round(shade)));
  }
  const shaded = Object.freeze({ shades, range: most >= least ? /** @type {const} */ ([least, most]) : null });
  known.set(role, shaded);
  return shaded;
}

/**
 * Weights of the place in the plane: the dimensions after the channel, or those before it where it is last.
 * @param {Tensor} tensor
 * @param {number} channel
 * @returns {number[]}
 */
function placeWeights({ shape }, channel) {
  const rank = shape.length;
  const skipped = rank >= 4 ? 1 : 0;
  const inPlane = shape.map((_, dim) =>
    channel === rank - 1 ? dim >= skipped && dim !== channel : dim > channel,
  );
  const plane = shape.map((extent, dim) => (inPlane[dim] ? extent : 1));
  const places = Math.max(1, productOf(plane));
  return rowMajorWeights(plane).map((weight, dim) => (inPlane[dim] ? (weight * TOP_SHADE) / places : 0));
}

/**
 * How a tensor's elements are coloured; see PainterOptions.colour.
 *
 * Throws a RangeError where there are not as many values as elements.
 * @param {PainterOptions} options
 * @returns {ColourPlan}
 */
export function planColours({ tensor, colour, values, like = tensor }) {
  const { shape, dims, elements } = tensor;
  const rank = shape.length;
  const zeros = new Array(rank).fill(0);
  const linear = rowMajorWeights(shape);
  /** @param {number} chosen */
  const unit = (chosen) => zeros.map((_, dim) => (dim === chosen ? 1 : 0));
  if (values !== null && values.data.length !== elements) {
    throw new RangeError(`${values.data.length} values for ${elements} elements`);
  }
  // A and B are coloured by the same dimension: an element has one colour.
  const channel = channelDim(like.shape.length === rank ? like : tensor);
  if (values !== null && (colour === 'auto' || colour === 'value')) {
    const tinted = values.role === 'picture' && shape[channel] === 3;
    const scale = values.role === 'data' ? 'viridis' : tinted ? 'picture' : 'grey';
    const hue = tinted ? unit(channel) : zeros;
    return { scale, dim: tinted ? channel : -1, hue, light: linear, ...shadesOf(values) };
  }
  const named = dims.indexOf(colour);
  if (named >= 0) {
    if (shape[named] <= MOST_FLAT_EXTENT) {
      return { scale: 'flat', dim: named, hue: unit(named), light: zeros, shades: null, range: null };
    }
    const light = unit(named).map((weight) => (weight * TOP_SHADE) / shape[named]);
    return { scale: 'viridis', dim: named, hue: zeros, light, shades: null, range: [0, shape[named] - 1] };
  }
  if (colour === 'linear' || channel < 0) {
    const light = linear.map((weight) => (weight * TOP_SHADE) / Math.max(1, elements));
    return { scale: 'viridis', dim: -1, hue: zeros, light, shades: null, range: [0, Math.max(0, elements - 1)] };
  }
  const light = placeWeights(tensor, channel);
  return { scale: 'categories', dim: channel, hue: unit(channel), light, shades: null, range: null };
}
