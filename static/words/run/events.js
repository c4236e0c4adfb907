import { ended } from '../found.js';
import { counted } from '../numbers.js';

/** @import { RunAnswer, RunEvent, RunOperand } from '../../api/run.js' */

/** What each finding is called. */
export const TITLES = Object.freeze(/** @type {Record<string, string>} */ ({
  round_trip: 'Two reorders undo each other',
  weights_each_call: 'Weights are converted at each call',
  format_conflict: 'Neighbours want other layouts',
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

/**
 * The module and the line that an operator of a trace was called in.
 * @param {RunEvent} event
 */
export function placeText({ problem: module, auxiliary: line }) {
  return [module, line].filter(Boolean).join(', ');
}

/** @param {RunOperand} operand */
export function layoutText({ layout }) {
  return layout === null ? 'not said' : layout.replace(/^onednn:/, '');
}

/** @param {{shape: readonly (number | string)[] | null} | undefined} operand @returns {string} as oneDNN's logs and the findings write it */
export function sizesOf(operand) {
  return operand?.shape ? operand.shape.join('x') : '';
}

/**
 * The operand that says most: the result, else the first one.
 * @param {RunEvent} event
 */
export function mainOperand({ operands }) {
  return operands.find(({ role }) => role.startsWith('dst')) ?? operands[0];
}

/**
 * The explorer with an operand; null where the log does not say its sizes or its layout.
 * @param {RunOperand} operand
 */
export function explorerHref(operand) {
  const query = queryOf(operand);
  return query && `/?${query}`;
}

/**
 * The query of a reorder's two layouts, for the explorer and the page of reorders; null where one of them is not
 * said, or the elements change their sizes or type.
 * @param {RunEvent} event
 */
export function reorderQuery({ is_reorder: moves, operands: [source, target] }) {
  const alike = target && source.dtype === target.dtype && sizesOf(source) === sizesOf(target);
  const query = moves && alike && target.layout !== null ? queryOf(source) : null;
  return query && `${query}&${new URLSearchParams({ 'b-layout': target.layout ?? '' })}`;
}

/**
 * The explorer with a tensor that a text names, of a reorder beside what it writes; null where sizes or layout are not said.
 * @param {import('../../api/types.js').FoundTensor} one
 * @param {readonly import('../../api/types.js').FoundTensor[]} tensors
 */
export function readerHref(one, tensors) {
  const query = one.problem === null ? queryOf(one) : null;
  const written = one.target === null ? null : tensors[one.target].layout;
  return query && `/?${query}${written ? `&${new URLSearchParams({ 'b-layout': written })}` : ''}`;
}

/**
 * What stands before the links to the tensors that a text names which is no run.
 * @param {string} problem why it is none
 */
export function namesTensors(problem) {
  return `${ended(problem)} It names tensors, which the explorer shows:`;
}

/** @param {Pick<import('../../api/types.js').FoundTensor, 'shape' | 'layout' | 'dtype'>} operand */
function queryOf({ shape, layout, dtype }) {
  if (shape === null || layout === null) return null;
  const sizes = shape.length > 0 ? shape.join(',') : '()';
  return new URLSearchParams({ shape: sizes, layout, ...(dtype ? { dtype } : {}) }).toString();
}

/**
 * The share of a time as whole percents.
 * @param {number} part
 * @param {number} whole
 */
export function shareText(part, whole) {
  return whole > 0 ? `${Math.round((part / whole) * 100)} %` : '';
}

/**
 * The headline of a run without a finding.
 * @param {Pick<RunAnswer, 'totals' | 'skipped'> | null} answer
 */
export function countsText(answer) {
  const { events = 0, reorders = 0 } = answer?.totals ?? {};
  const lines = answer?.skipped.lines ?? 0;
  if (events === 0 && lines > 0) return `No event: ${counted(lines, 'line')} not read`;
  return `${counted(events, 'event')}, ${reorders > 0 ? counted(reorders, 'reorder') : 'no reorder'}`;
}
