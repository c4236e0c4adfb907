import { formatCost, parseCost } from './cost/link.js';

/** @import { TensorFields } from '../api/types.js' */
/** @import { PageState, View, ViewState, Views } from './types.js' */

/** @type {readonly (keyof TensorFields)[]} */
const FIELDS = Object.freeze(['shape', 'layout', 'dtype', 'dims', 'steps', 'slice', 'elements']);
const MOST_FIELD_CHARACTERS = 4096;
const MOST_NAME_CHARACTERS = 64;
const MOST_RANK = 64;
const MOST_ROW_LENGTH = Number.MAX_SAFE_INTEGER;
/** @type {readonly PageState['tab'][]} */
const TABS = Object.freeze(['facts', 'notations', 'code', 'cost']);
const TEXTS = Object.freeze(['auto', 'linear', 'letter', 'value', 'address', 'coords']);

/** @type {Readonly<TensorFields>} */
export const DEFAULT_FIELDS = Object.freeze({
  shape: '1,8,3,4',
  layout: 'NCHW4',
  dtype: 'float32',
  dims: '',
  steps: '',
  slice: '',
  elements: '',
});

/** The opening view of every grid. @type {Readonly<Views>} */
export const NO_VIEW = Object.freeze({ logical: null, memory: null, memoryB: null });

/**
 * @param {URLSearchParams} query
 * @param {Readonly<TensorFields>} defaults
 * @returns {Readonly<TensorFields>}
 */
function parseFields(query, defaults) {
  const fields = { ...defaults };
  for (const name of FIELDS) {
    const text = query.get(name);
    if (text !== null) fields[name] = text.slice(0, MOST_FIELD_CHARACTERS);
  }
  return Object.freeze(fields);
}

/**
 * @param {string | null} text integers separated by commas
 * @param {number} most count
 * @returns {readonly number[] | null}
 */
function parseCoords(text, most) {
  if (text === null || text.length > MOST_FIELD_CHARACTERS) return null;
  if (text === '') return Object.freeze([]);
  if (!/^\d+(,\d+)*$/.test(text)) return null;
  const numbers = text.split(',').map(Number);
  return numbers.length <= most && numbers.every(Number.isSafeInteger) ? Object.freeze(numbers) : null;
}

/**
 * @param {string | null} text cell, left and top, or fit
 * @returns {View}
 */
export function parseView(text) {
  if (text === 'fit') return text;
  if (text === null || !/^[\d.e+-]+(,[\d.e+-]+){2}$/.test(text)) return null;
  const [cell_css, left_cells, top_cells] = text.split(',').map(Number);
  const bounded = [left_cells, top_cells].every((cells) => cells >= 0 && cells <= MOST_ROW_LENGTH);
  if (!bounded || !(cell_css > 0 && cell_css <= 1000)) return null;
  return Object.freeze({ cell_css, left_cells, top_cells });
}

/**
 * @param {string | null} text
 * @returns {'auto' | 'line' | number}
 */
function parseRowLength(text) {
  if (text === 'line') return 'line';
  const number = text !== null && /^\d+$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(number) && number >= 1 ? number : 'auto';
}

/**
 * @param {string | null} order
 * @param {string | null} step
 * @returns {import('./types.js').PageState['walk']}
 */
function parseWalk(order, step) {
  if (!order) return null;
  const number = step !== null && /^\d+$/.test(step) ? Number(step) : 0;
  return Object.freeze({ order: order.slice(0, MOST_FIELD_CHARACTERS), step: Number.isSafeInteger(number) ? number : 0 });
}

/**
 * Reads the state of the page from a query string: bounded, with defaults, frozen. Never throws.
 * @param {URLSearchParams | string} query
 * @param {Readonly<TensorFields>} [defaults] of tensor a, where the query has none
 * @returns {PageState}
 */
export function parseState(query, defaults = DEFAULT_FIELDS) {
  const given = typeof query === 'string' ? new URLSearchParams(query) : query;
  const a = parseFields(given, defaults);
  const [layout, dtype = a.dtype] = ['b-layout', 'b-dtype'].map((name) => given.get(name)?.slice(0, MOST_FIELD_CHARACTERS));
  const text = given.get('text') ?? 'auto';
  const tab = given.get('tab');
  const memoryB = parseView(given.get('bv'));
  // Links from before A and B were in step have a view of B's own.
  const apart = given.get('apart') === '1' || memoryB !== null;
  return Object.freeze({
    a,
    b: layout === undefined ? null : Object.freeze({ ...a, layout, dtype }),
    rowLength: parseRowLength(given.get('row')),
    apart,
    view: Object.freeze({
      logical: parseView(given.get('lv')),
      memory: parseView(given.get('mv')),
      memoryB,
    }),
    selected: parseCoords(given.get('at'), MOST_RANK),
    walk: parseWalk(given.get('walk'), given.get('t')),
    cost: parseCost(given),
    colour: (given.get('colour') ?? 'auto').slice(0, MOST_NAME_CHARACTERS),
    text: TEXTS.includes(text) ? text : 'auto',
    sample: (given.get('sample') ?? '').slice(0, MOST_NAME_CHARACTERS),
    show: given.get('show') === 'memories' ? 'memories' : '',
    tab: TABS.find((name) => name === tab) ?? 'facts',
    side: given.get('side') === 'b' ? 'b' : 'a',
  });
}

/**
 * @param {Readonly<ViewState> | 'fit'} view
 * @returns {string} rounded to what a screen can show
 */
function formatView(view) {
  if (view === 'fit') return view;
  const { cell_css, left_cells, top_cells } = view;
  const decimals = Math.max(0, Math.min(12, Math.ceil(Math.log10(cell_css)) + 1));
  return [Number(cell_css.toPrecision(6)), ...[left_cells, top_cells].map((cells) => Number(cells.toFixed(decimals)))].join(',');
}

/**
 * Which of shape and layout a link leaves out, so that the page takes its own; null where it has both or none.
 * @param {string} query
 */
export function leftOut(query) {
  const given = new URLSearchParams(query);
  const missing = (/** @type {const} */ (['shape', 'layout'])).filter((name) => !given.has(name));
  return missing.length === 1 ? missing[0] : null;
}

/**
 * The query string of a state, without '?'. parseState reads the same state back.
 *
 * Shape and layout are always written, so that a link keeps its meaning when the defaults change.
 * @param {PageState} state
 * @returns {string}
 */
export function formatState(state) {
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const required = name === 'shape' || name === 'layout';
    const neutral = name === 'dtype' ? 'float32' : '';
    if (required || state.a[name] !== neutral) query.set(name, state.a[name]);
  }
  if (state.b !== null) query.set('b-layout', state.b.layout);
  if (state.b !== null && state.b.dtype !== state.a.dtype) query.set('b-dtype', state.b.dtype);
  if (state.rowLength !== 'auto') query.set('row', String(state.rowLength));
  if (state.apart) query.set('apart', '1');
  if (state.view.logical !== null) query.set('lv', formatView(state.view.logical));
  if (state.view.memory !== null) query.set('mv', formatView(state.view.memory));
  if (state.apart && state.view.memoryB !== null) query.set('bv', formatView(state.view.memoryB));
  if (state.selected !== null) query.set('at', state.selected.join(','));
  if (state.walk !== null) {
    query.set('walk', state.walk.order);
    query.set('t', String(state.walk.step));
  }
  formatCost(state.cost, query);
  if (state.colour !== 'auto') query.set('colour', state.colour);
  if (state.text !== 'auto') query.set('text', state.text);
  if (state.sample !== '') query.set('sample', state.sample);
  if (state.show !== '') query.set('show', state.show);
  if (state.tab !== 'facts') query.set('tab', state.tab);
  if (state.side !== 'a') query.set('side', state.side);
  // Commas, brackets and colons are legal in a query and far easier to read unescaped.
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%28', '(').replaceAll('%29', ')');
}
