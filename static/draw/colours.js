/** @typedef {import('./types.js').PainterOptions} PainterOptions */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./types.js').Values} Values */
/** @typedef {import('../core/palette.js').Scale} Scale */
import { SHADES } from '../core/palette.js';
import { productOf, rowMajorWeights } from '../core/shape.js';

/**
 * @typedef {object} ColourPlan how coordinates become a place in the palette
 * @property {Scale} scale
 * @property {readonly number[]} hue weight per dimension; the sum modulo 8 is the palette's row
 * @property {readonly number[]} light weight per dimension; the sum's whole part is the shade, or the
 *   place in `shades`
 * @property {Uint8Array | null} shades per element in row-major order
 */

/** A little less than SHADES, so that a rounded sum stays below it. */
const TOP_SHADE = SHADES - 1e-3;
const MOST_FLAT_EXTENT = 8;

/** @type {WeakMap<object, Map<string, Uint8Array>>} */
const shadesOfData = new WeakMap();

/**
 * The dimension of the channels, whose index says what a value is, not where.
 * @param {Tensor} tensor
 * @returns {number} -1 for rank 0 and 1
 */
export function channelDim({ shape, dims }) {
  const large = shape.flatMap((extent, dim) => (extent > 1 ? [dim] : []));
  for (const name of ['C', 'I']) {
    const named = dims.findIndex((dim) => dim.toUpperCase() === name);
    if (named >= 0 && shape[named] > 1 && large.length > 1) return named;
  }
  if (large.length < 2) return -1;
  return large.length === 2 ? large[0] : large[large.length - 3];
}

/**
 * One shade per element, cached per data: pictures as they are, other data from least to greatest.
 * @param {Values} values
 * @returns {Uint8Array}
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
  known.set(role, shades);
  return shades;
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
export function planColours({ tensor, colour, values }) {
  const { shape, dims, elements } = tensor;
  const rank = shape.length;
  const zeros = new Array(rank).fill(0);
  const linear = rowMajorWeights(shape);
  /** @param {number} chosen */
  const unit = (chosen) => zeros.map((_, dim) => (dim === chosen ? 1 : 0));
  if (values !== null && values.data.length !== elements) {
    throw new RangeError(`${values.data.length} values for ${elements} elements`);
  }
  if (values !== null && (colour === 'auto' || colour === 'value')) {
    const channels = dims.findIndex((dim) => dim.toUpperCase() === 'C');
    const tinted = values.role === 'picture' && channels >= 0 && shape[channels] === 3;
    const scale = values.role === 'data' ? 'viridis' : tinted ? 'picture' : 'grey';
    return { scale, hue: tinted ? unit(channels) : zeros, light: linear, shades: shadesOf(values) };
  }
  const named = dims.indexOf(colour);
  if (named >= 0) {
    if (shape[named] <= MOST_FLAT_EXTENT) {
      return { scale: 'flat', hue: unit(named), light: zeros, shades: null };
    }
    const light = unit(named).map((weight) => (weight * TOP_SHADE) / shape[named]);
    return { scale: 'viridis', hue: zeros, light, shades: null };
  }
  const channel = channelDim(tensor);
  if (colour === 'linear' || channel < 0) {
    const light = linear.map((weight) => (weight * TOP_SHADE) / Math.max(1, elements));
    return { scale: 'viridis', hue: zeros, light, shades: null };
  }
  return { scale: 'categories', hue: unit(channel), light: placeWeights(tensor, channel), shades: null };
}
