/** @import { Tensor } from '../types.js' */
/** @import { Pick } from '../layout/picked.js' */
import { digitOf } from '../layout/digits.js';

/** Indices of one dimension with blocks that are looked at one by one. */
const MOST_LOOKED_AT = 2 ** 16;

/**
 * How many addresses a slice touches, and how far apart the first and the last are.
 * @param {Tensor} tensor
 * @param {readonly Pick[]} picks
 * @returns {{used: number | null, spanned: number} | null} in elements; used: null where elements may share
 *   addresses in ways that only a count could tell; null under a swizzle, and where too much is to be counted
 */
export function spanOf({ digits, swizzle, nested }, picks) {
  if (swizzle !== null) return null;
  let used = 1;
  let spanned = 1;
  let known = nested;
  for (const { dim, start, step, count } of picks) {
    if (dim === null) continue;
    if (count === 0) return { used: 0, spanned: 0 };
    const along = alongDim(digits[dim], start, step, count);
    if (!along) return null;
    used *= along.different;
    spanned += along.reach;
  }
  // Where strides interleave, two sums may meet in one address, unless a single dimension makes them.
  known ||= picks.filter(({ count }) => count > 1).length < 2;
  return { used: known ? used : null, spanned };
}

/**
 * @param {Tensor['digits'][number]} digits of one dimension
 * @param {number} start
 * @param {number} step
 * @param {number} count
 * @returns {{reach: number, different: number} | null} from the least to the greatest part of an address, and how many
 *   different parts there are
 */
function alongDim(digits, start, step, count) {
  const large = digits.filter(({ extent }) => extent > 1);
  if (large.length === 0) return { reach: 0, different: 1 };
  if (large.length === 1) {
    const { stride } = large[0];
    return { reach: Math.abs(stride * step) * (count - 1), different: stride === 0 ? 1 : count };
  }
  if (count > MOST_LOOKED_AT) return null;
  const parts = Array.from({ length: count }, (_, at) =>
    digits.reduce((sum, digit) => sum + digitOf(digit, start + step * at) * digit.stride, 0),
  );
  const [least, most] = parts.reduce(([low, high], part) => [Math.min(low, part), Math.max(high, part)], [Infinity, -Infinity]);
  return { reach: most - least, different: new Set(parts).size };
}
