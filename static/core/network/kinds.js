/**
 * The kinds of layout that a network's drawing tells apart: 'plain' is row-major, 'last' has the channels
 * last, 'blocked' has channels in blocks, 'other' has strides of its own, 'absent' is never in memory, because
 * one kernel computes it and what reads it.
 * @typedef {'plain' | 'last' | 'blocked' | 'other' | 'absent' | 'unknown'} Kind
 */

/** @type {readonly Kind[]} */
export const KINDS = Object.freeze(['plain', 'last', 'blocked', 'other', 'absent', 'unknown']);

const PLAIN_NAMES = Object.freeze(['()', 'C', 'NC', 'NCW', 'NCHW', 'NCDHW']);
const LAST_NAMES = Object.freeze(['()', 'C', 'NC', 'NWC', 'NHWC', 'NDHWC']);
/** Channels innermost, in oneDNN's letters of dimensions. */
const LAST_TAGS = Object.freeze(['acb', 'acdb', 'acdeb']);
const PYTORCH = Object.freeze({ contiguous: 'plain', channels_last: 'last', channels_last_3d: 'last' });

/**
 * @param {string | null} text of the layout, in the words of a rule set or of the API
 * @param {readonly number[] | null} [shape]
 * @param {readonly (number | string)[] | null} [strides] in elements
 * @returns {Kind}
 */
export function kindOf(text, shape = null, strides = null) {
  if (text === null) return 'unknown';
  if (LAST_TAGS.includes(text)) return 'last';
  if (/^n[cdhw]+$/.test(text)) return kindOf(text.toUpperCase(), shape, strides);
  if (text in PYTORCH) return /** @type {Kind} */ (PYTORCH[/** @type {keyof typeof PYTORCH} */ (text)]);
  if (LAST_NAMES.indexOf(text) > 2) return 'last';
  if (PLAIN_NAMES.includes(text) || /^(C?D?H?W|a?b?c?d?e?f?g?h?)$/.test(text)) return 'plain';
  if (/^[A-Za-z]+$/.test(text)) return byStrides(shape, strides) ?? (/^N[DHW]+C$/.test(text) ? 'last' : 'other');
  if (/^(\w+:)?[A-Za-z]+\d+[a-z]?/.test(text)) return 'blocked';
  return byStrides(shape, strides) ?? 'other';
}

/**
 * @param {readonly number[] | null} shape
 * @param {readonly (number | string)[] | null} strides
 * @returns {Kind | null}
 */
function byStrides(shape, strides) {
  if (!shape || !strides) return null;
  const dims = shape.map((_, dim) => dim);
  if (follows(shape, strides, dims)) return 'plain';
  const last = [dims[0], ...dims.slice(2), dims[1]];
  return shape.length >= 3 && follows(shape, strides, last) ? 'last' : 'other';
}

/**
 * Whether the strides are those of packed memory in this order; sizes of 1 say nothing.
 * @param {readonly number[]} shape
 * @param {readonly (number | string)[]} strides
 * @param {readonly number[]} order outermost first
 */
function follows(shape, strides, order) {
  let step = 1;
  for (const dim of [...order].reverse()) {
    if (shape[dim] === 1) continue;
    if (Number(strides[dim]) !== step) return false;
    step *= shape[dim];
  }
  return true;
}

/**
 * A name of a layout that is short enough for a drawing.
 * @param {string | null} text
 * @param {Kind} kind
 * @param {number} rank
 * @returns {string}
 */
export function shortName(text, kind, rank) {
  if (kind === 'absent') return 'fused';
  if (text === null || kind === 'unknown') return 'not known';
  if (kind === 'other') return /^[A-Za-z]{1,8}$/.test(text) ? text : 'strided';
  if (kind === 'blocked') return text.replace(/^\w+:|(?<=\d)c$/g, '').slice(0, 10);
  if (kind === 'last') return LAST_NAMES[rank] ?? 'channels last';
  return PLAIN_NAMES[rank] ?? 'row-major';
}

/**
 * A layout's text as the explorer reads it: PyTorch's names of formats are letters there.
 * @param {string} text
 * @param {number} rank
 */
export function layoutText(text, rank) {
  if (!(text in PYTORCH)) return text;
  const names = text === 'contiguous' ? PLAIN_NAMES : LAST_NAMES;
  return rank > 2 ? (names[rank] ?? text) : 'abcdefgh'.slice(0, rank);
}
