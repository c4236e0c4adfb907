/** @import { RunEvent, RunOperand } from '../../api/run.js' */

/** What each finding is called. */
export const TITLES = Object.freeze(/** @type {Record<string, string>} */ ({
  round_trip: 'Two reorders undo each other',
  weights_each_call: 'Weights are converted at each call',
  format_conflict: 'Two neighbours want other layouts',
  slow_implementation: 'A slow implementation ran',
  small_reorders: 'Many small reorders',
  format_lost: 'channels_last was given up',
  copy: 'A copy into another order',
}));

/**
 * Milliseconds in the unit that reads best.
 * @param {number | null} ms
 */
export function timeText(ms) {
  if (ms === null) return 'no time';
  const [value, unit] = Math.abs(ms) < 1 ? [ms * 1000, 'µs'] : Math.abs(ms) < 1000 ? [ms, 'ms'] : [ms / 1000, 's'];
  return `${Number(value.toPrecision(4))} ${unit}`;
}

/** @param {RunOperand} operand */
export function layoutText({ layout }) {
  return layout === null ? 'not said' : layout.replace(/^onednn:/, '');
}

/** @param {RunOperand | undefined} operand */
export function sizesOf(operand) {
  return operand?.shape ? operand.shape.join('×') : '';
}

/**
 * The operand that says most: the result, else the first one.
 * @param {RunEvent} event
 */
export function mainOperand({ operands }) {
  return operands.find(({ role }) => role.startsWith('dst')) ?? operands[0];
}

/**
 * Whether an event moves elements and computes nothing.
 * @param {RunEvent} event
 */
export function isReorder({ primitive, operands }) {
  const kept = /^(?:reorder|ReorderInput|ReorderOutput|Transpose)$|^aten\.(?:clone|_to_copy|contiguous|copy_)\./;
  return kept.test(primitive) && operands.length > 1;
}

/**
 * The explorer with an operand; null where the log does not say its sizes or its layout.
 * @param {RunOperand} operand
 */
export function explorerHref({ shape, layout, dtype }) {
  if (shape === null || layout === null) return null;
  const sizes = shape.length > 0 ? shape.join(',') : '()';
  return `/?${new URLSearchParams({ shape: sizes, layout, ...(dtype ? { dtype } : {}) })}`;
}

/**
 * The share of a time as whole percents.
 * @param {number} part
 * @param {number} whole
 */
export function shareText(part, whole) {
  return whole > 0 ? `${Math.round((part / whole) * 100)} %` : '';
}
