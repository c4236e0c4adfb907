import { formatState, parseState } from '../permalink.js';

/** @import { PageState } from '../types.js' */

/**
 * Reads the state of the page from a query: the explorer's fields, its chosen cell, and the step. Views and
 * slices are the explorer's alone. Never throws.
 * @param {string} query
 * @returns {{state: PageState, step: number} | null} null where the query names no tensor
 */
export function parseLink(query) {
  const given = new URLSearchParams(query);
  if (!given.has('shape') && !given.has('layout')) return null;
  const text = given.get('step') ?? '';
  const step = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  return { state: plain(parseState(given)), step: Number.isSafeInteger(step) ? step : 0 };
}

/**
 * @param {PageState} state
 * @param {number} step
 * @returns {string} the query, without '?'; the explorer reads it too
 */
export function formatLink(state, step) {
  return formatState(plain(state)) + (step > 0 ? `&step=${step}` : '');
}

/**
 * The link that shows a comparison of the explorer as a reorder.
 * @param {PageState} state
 */
export function reorderHref(state) {
  return `/reorder?${formatLink(state, 0)}`;
}

/**
 * @param {PageState} state
 * @returns {PageState}
 */
function plain(state) {
  const a = Object.freeze({ ...state.a, steps: '', slice: '' });
  return Object.freeze({
    ...state,
    a,
    b: state.b && Object.freeze({ ...a, layout: state.b.layout }),
    rowLength: 'auto',
    apart: false,
    view: Object.freeze({ logical: null, memory: null, memoryB: null }),
    sample: '',
    show: '',
    tab: 'facts',
    side: 'a',
  });
}
