import { denseLayout } from '../api/dense-layout.js';
import { shapeQuery } from '../api/fields.js';

/** @typedef {import('../api/types.js').TensorFields} TensorFields */
/** @typedef {import('../api/types.js').ReadAnswer} ReadAnswer */

/**
 * The fields before and after a text was read into them.
 * @typedef {{before: Readonly<TensorFields>, after: Readonly<TensorFields>, words: string}} Taken
 */

const PLAIN = /^[\w\s,+()-]*$/;

/**
 * Whether a text may contain more than a layout. Names and plain strides never do.
 * @param {string} text
 * @returns {boolean}
 */
export function mayCarryMore(text) {
  return !PLAIN.test(text);
}

/**
 * A pasted text as one line of the same length, so that positions stay valid.
 * @param {string} text
 * @returns {string}
 */
export function oneLine(text) {
  return text.replace(/[\r\n\t]/g, ' ');
}

/**
 * The fields after a text was read; null where it contains neither sizes nor a type.
 * @param {Readonly<TensorFields>} before
 * @param {ReadAnswer} read
 * @returns {Taken | null}
 */
export function takenFrom(before, read) {
  const { shape, dtype } = read;
  if (shape === null && dtype === null) return null;
  const after = { ...before };
  const words = [];
  if (shape) {
    // Dimension names, steps, slice and buffer belonged to another tensor.
    Object.assign(after, { shape: shape.length > 0 ? shape.join(',') : '()', dims: '', steps: '', slice: '', elements: '' });
    words.push(`shape ${after.shape}`);
  }
  if (dtype) {
    after.dtype = dtype;
    words.push(dtype);
  }
  const layout = layoutText(read.layout);
  if (layout !== null) {
    after.layout = layout;
    words.push(layout.length > 24 ? 'the layout' : layout);
  } else if (shape && shape.length !== rankOf(before.shape)) {
    after.layout = denseLayout(shape);
    words.push(`no layout, so row major: ${after.layout}`);
  } else {
    words.push(`no layout: ${before.layout} stays`);
  }
  return { before, after: Object.freeze(after), words: words.join('; ') };
}

/**
 * @param {ReadAnswer['layout']} layout
 * @returns {string | null}
 */
function layoutText(layout) {
  if (layout === null || typeof layout === 'string') return layout && oneLine(layout);
  return `(${layout.strides.join(', ')})${Number(layout.offset) === 0 ? '' : ` + ${layout.offset}`}`;
}

/** @param {string} shape as typed */
function rankOf(shape) {
  return shapeQuery(shape).split(',').filter((size) => size !== '').length;
}
