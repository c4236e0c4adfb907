/** @import { DescriptionJson, Integer } from '../types.js' */

/**
 * The loops of a layout from the outermost in memory to the innermost, its blocks as loops of their own, as in OIHW4i16o4i.
 * @param {Pick<DescriptionJson, 'dims' | 'digits'>} description
 * @returns {string} as /cost takes an order; empty where no dimension is in blocks, and where blocks of one
 *   dimension lie in another order in memory than in its index
 */
export function blockedOrder({ dims, digits }) {
  const names = [...dims];
  const moving = digits.map((own) => own.filter(({ extent }) => Number(extent) > 1));
  const falls = moving.every((own) => own.every(({ stride }, at) => at < 2 || size(stride) < size(own[at - 1].stride)));
  if (!falls || moving.every((own) => own.length < 2) || names.some((name) => [...name].length > 1)) return '';
  const still = names.filter((_, dim) => moving[dim].length === 0);
  // Stable: of equal strides the outer dimension comes first.
  const loops = moving
    .flatMap((own, dim) => own.map(({ extent, stride }, at) => ({ text: at === 0 ? names[dim] : `${extent}${names[dim]}`, stride: size(stride) })))
    .sort((one, other) => Number(other.stride > one.stride) - Number(other.stride < one.stride));
  return [...still, ...loops.map(({ text }) => text)].join('');
}

/** @param {Integer} stride @returns {bigint} */
function size(stride) {
  const exact = BigInt(stride);
  return exact < 0n ? -exact : exact;
}
