/** @import { PageState, Answer } from '../types.js' */

/**
 * The lesson on what a tensor of the explorer shows most of all.
 * @param {PageState} state
 * @param {Answer | null} answer
 * @returns {string | null} its id; null while nothing is known of the tensor
 */
export function relatedLesson({ a, b }, answer) {
  if (!answer) return null;
  const { strides, digits, properties, shape } = answer.memory.description;
  if (a.slice) return 'windows';
  if (answer.chain) return properties.contiguous ? 'transpose' : 'reshape';
  if (properties.broadcast) return 'broadcast';
  if (strides?.some((stride) => Number(stride) < 0)) return 'flip';
  if (digits.some((each) => each.length > 1)) return batchIsInside(digits) ? 'chwn4' : 'nchw4';
  if (properties.padded) return 'padding';
  if (b) return 'reorders';
  if (properties.channels_last) return 'nhwc';
  return shape.length > 2 ? 'strides' : 'row-major';
}

/**
 * Whether another dimension than the first lies outermost, as in CHWN4.
 * @param {Answer['description']['digits']} digits
 */
function batchIsInside([first, ...others]) {
  const reach = Math.max(...first.map(({ extent, stride }) => (Number(extent) > 1 ? Number(stride) : 0)));
  return reach > 0 && others.flat().some(({ extent, stride }) => Number(extent) > 1 && Number(stride) > reach);
}
