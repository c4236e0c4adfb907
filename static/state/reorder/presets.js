/** @import { PageState } from '../types.js' */

/**
 * A reorder to begin with.
 * @typedef {object} ReorderPreset
 * @property {string} name
 * @property {string} see one sentence: what there is to see
 * @property {string} shape
 * @property {string} a
 * @property {string} b
 * @property {string} [dtype]
 * @property {number} step
 */

/** @type {readonly ReorderPreset[]} */
export const REORDER_PRESETS = Object.freeze([
  {
    name: 'NCHW to NCHW4',
    see: 'Four channels that are far apart in A become neighbours in B. Two of eight are padding: zeros.',
    shape: '1,6,4,6', a: 'NCHW', b: 'NCHW4', step: 0,
  },
  {
    name: 'NCHW to NHWC',
    see: 'A transposition: B is written line by line, and each line of A stays open until all its pixels are read.',
    shape: '1,8,4,6', a: 'NCHW', b: 'NHWC', step: 70,
  },
  {
    name: 'Bytes, sixteen rows at a time',
    see: 'Sixteen rows of sixteen bytes are transposed in four rounds of interleaving.',
    shape: '1,32,4,16', a: 'NCHW', b: 'NHWC', dtype: 'int8', step: 700,
  },
  {
    name: 'NCHW4 to NCHW32',
    see: 'Four neighbours stay together: four bytes move as one unit of 32 bits.',
    shape: '1,64,3,5', a: 'NCHW4', b: 'NCHW32', dtype: 'int8', step: 100,
  },
  {
    name: 'Rows with padding',
    see: 'Rows are contiguous on both sides: each is one run, and so one step.',
    shape: '8,13', a: '(13,1)', b: '(16,1)', step: 3,
  },
  {
    name: 'NCHW4 to NCHW6',
    see: 'Blocks of four and of six end at other channels: the second block of A is torn in two, half of it ends the first block of B.',
    shape: '1,12,3,4', a: 'NCHW4', b: 'NCHW6', step: 20,
  },
  {
    name: 'Into a swizzle',
    see: 'The XOR of the swizzle moves each row of eight by another distance: the addresses come from tables.',
    shape: '8,16', a: 'RowMajor', b: 'cute:Swizzle<3,0,3> o (8,16):(16,1)', step: 40,
  },
  {
    name: 'A million million elements',
    see: 'Any step of 10^12 is computed from its number alone: drag the slider anywhere.',
    shape: '1000,1000,1000,1000', a: 'NCHW', b: 'NHWC', step: 500_000_123_456,
  },
]);

/**
 * @param {ReorderPreset} preset
 * @param {PageState} state that gives the rest
 * @returns {PageState}
 */
export function stateOfPreset({ shape, a: layout, b, dtype = 'float32' }, state) {
  const a = Object.freeze({ ...state.a, shape, layout, dtype, dims: '', steps: '', slice: '', elements: '' });
  return Object.freeze({ ...state, a, b: Object.freeze({ ...a, layout: b }), selected: null });
}

/**
 * The preset that the fields show.
 * @param {PageState} state
 * @returns {ReorderPreset | null}
 */
export function presetShown({ a, b }) {
  return REORDER_PRESETS.find((preset) =>
    preset.shape === a.shape && preset.a === a.layout && preset.b === b?.layout && (preset.dtype ?? 'float32') === a.dtype) ?? null;
}
