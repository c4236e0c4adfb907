import { formatState, parseState } from '../core/permalink.js';

/** @typedef {import('./types.js').PageState} PageState */

const MOST_CHARACTERS = 32;

/**
 * The state that an address asks for; never throws.
 * @param {string} search with or without '?'
 * @returns {PageState}
 */
export function stateOfSearch(search) {
  const query = new URLSearchParams(search);
  const state = parseState(query);
  const elements = (query.get('elements') ?? '').slice(0, MOST_CHARACTERS);
  const a = Object.freeze({ ...state.a, elements });
  return Object.freeze({ ...state, a, b: state.b && Object.freeze({ ...a, layout: state.b.layout }) });
}

/**
 * The query, with '?', that stateOfSearch reads back.
 * @param {PageState} state
 * @returns {string}
 */
export function searchOfState(state) {
  const { elements } = state.a;
  const wished = elements === '' ? '' : `&elements=${encodeURIComponent(elements)}`;
  return `?${formatState(state)}${wished}`;
}
