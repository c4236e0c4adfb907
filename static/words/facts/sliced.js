import { bytesOf } from '../../core/bytes.js';
import { spanOf } from '../../core/slice/span.js';
import { exactText, sizesText } from '../numbers.js';

/** @import { Description, SliceAnswer } from '../../api/types.js' */
/** @typedef {{tensor: import('../../core/types.js').Tensor | null, itemsize_bits: number}} Answer */

const MOST_OFFSETS = 6;

/**
 * What is said of a slice: its shape, whether it is a view, its addresses and its bytes.
 * @param {SliceAnswer} sliced
 * @param {Answer | null} answer to the tensor that it is taken from
 * @returns {[string, string][]} names and texts
 */
export function sliceRows(sliced, answer) {
  const { shape, view } = sliced;
  return [
    ['Result', sizesText(shape)],
    ['View', view ? viewText(view) : 'none: a copy, the elements must be gathered'],
    ['Addresses', addressesText(sliced)],
    ['Bytes', spanText(answer, sliced)],
  ];
}

/**
 * @param {SliceAnswer} sliced
 * @param {readonly number[]} coords in the result
 * @param {number} address
 * @returns {string} how the offset and the strides of the result lead there: “37 = 25 + 0·20 + 1·2”; empty where it
 *   has none, and while the tensor is still the one before
 */
export function sliceSumText({ view }, coords, address) {
  const lengths = view?.strides?.map(BigInt);
  const sum = lengths?.reduce((all, length, at) => all + BigInt(coords[at]) * length, BigInt(view?.offset ?? 0));
  if (!view || !lengths || sum !== BigInt(address)) return '';
  const terms = lengths.map((length, at) => `${length < 0n ? '−' : '+'} ${exactText(coords[at])}·${exactText(String(length).replace('-', ''))}`);
  return [`${exactText(address)} =`, exactText(view.offset), ...terms].join(' ');
}

/** @param {SliceAnswer} answer */
function addressesText({ offsets }) {
  if (offsets.length === 0) return 'none';
  const shown = offsets.slice(0, MOST_OFFSETS).map(exactText).join(', ');
  if (offsets.length <= MOST_OFFSETS) return shown;
  return `${shown}, … ${exactText(offsets[offsets.length - 1])} (${exactText(offsets.length)})`;
}

/**
 * @param {Answer | null} answer
 * @param {SliceAnswer} sliced
 * @returns {string} how many bytes hold the result, and how far apart the first and the last are
 */
function spanText(answer, { picks, offsets, shape }) {
  // The answer to a slice may come before that to its tensor: until then, there is one of the tensor before.
  const rank = picks.filter(({ dim }) => dim !== null).length;
  const span = answer?.tensor?.shape.length === rank ? spanOf(answer.tensor, picks) : null;
  if (!answer || !span) return 'not counted';
  const whole = offsets.length === shape.reduce((/** @type {number} */ all, size) => all * Number(size), 1);
  const used = span.used ?? (whole ? new Set(offsets).size : null);
  /** @param {number} elements */
  const text = (elements) => {
    const { bytes, bits } = bytesOf(elements, answer.itemsize_bits);
    return exactText(String(bits > 0 ? bytes + 1n : bytes));
  };
  return used === null ? `${text(span.spanned)} spanned` : `${text(used)} used of ${text(span.spanned)} spanned`;
}

/** @param {Description} view @returns {string} its strides, of a dimension with blocks those of its parts in brackets */
function viewText({ offset, strides, layout, swizzle, digits }) {
  if (swizzle) return layout;
  const parts = strides?.map(exactText) ?? digits.map((list) => {
    const steps = list.map(({ stride }) => exactText(stride)).join(', ');
    return list.length === 1 ? steps : `(${steps})`;
  });
  return `strides ${parts.join(', ')} from ${exactText(offset)}`;
}
