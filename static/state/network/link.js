/**
 * What the address of the page says.
 * @typedef {object} NetworkState
 * @property {string} preset name; empty where there is a graph of the reader's own, in the link or too large for it
 * @property {string} graph the packed graph; empty for a preset, and for a graph that is too large
 * @property {string} rules
 * @property {import('./rules.js').Options} options of the rules; those that are left out have their defaults
 * @property {string} was the rules that were shown before, with their options, to compare with; empty for none
 * @property {'rules' | 'plan'} show
 * @property {boolean} fold
 * @property {readonly string[]} unfolded first nodes of blocks that are drawn in full
 * @property {string} at the chosen node; empty for none
 * @property {boolean} anyhow whether the plan may leave the network's results in any layout
 * @property {readonly Pin[]} pins ways of nodes that the reader chose for the plan
 */

/** @typedef {{node: string, way: number}} Pin */

import { MOST_CHARACTERS } from '../../core/network/packed.js';
import { optionsOf, optionTexts } from './rules.js';

const MOST_NAME = 256;
const MOST_LISTED = 64;

/** @type {NetworkState} */
export const DEFAULT = Object.freeze({
  preset: 'inception-block',
  graph: '',
  rules: 'pytorch-eager',
  options: Object.freeze({}),
  was: '',
  show: 'rules',
  fold: true,
  unfolded: Object.freeze([]),
  at: '',
  anyhow: false,
  pins: Object.freeze([]),
});

/**
 * Reads the state from a query: bounded, with defaults. Never throws.
 * @param {URLSearchParams | string} text
 * @returns {NetworkState}
 */
export function parseLink(text) {
  const query = new URLSearchParams(text);
  const name = (/** @type {string} */ key) => (query.get(key) ?? '').slice(0, MOST_NAME);
  const packed = query.get('graph') ?? '';
  const graph = packed.length <= MOST_CHARACTERS ? packed : '';
  return Object.freeze({
    preset: graph !== '' ? '' : query.has('preset') ? name('preset') : DEFAULT.preset,
    graph,
    rules: name('rules') || DEFAULT.rules,
    options: optionsOf(query.getAll('option')),
    was: name('was'),
    show: query.get('show') === 'plan' ? 'plan' : 'rules',
    fold: query.get('fold') !== '0',
    unfolded: Object.freeze(query.getAll('open').slice(0, MOST_LISTED).map((each) => each.slice(0, MOST_NAME))),
    at: name('at'),
    anyhow: query.get('results') === 'any',
    pins: Object.freeze(query.getAll('pin').slice(0, MOST_LISTED).flatMap(parsePin)),
  });
}

/**
 * @param {string} text such as "2:conv1"
 * @returns {Pin[]}
 */
function parsePin(text) {
  const [, way, node] = /^(\d{1,3}):(.+)$/.exec(text.slice(0, MOST_NAME)) ?? [];
  return node === undefined ? [] : [Object.freeze({ node, way: Number(way) })];
}

/**
 * @param {NetworkState} state
 * @returns {string} a query that parseLink reads back
 */
export function formatLink(state) {
  const query = new URLSearchParams();
  if (state.graph !== '') query.set('graph', state.graph);
  else query.set('preset', state.preset);
  query.set('rules', state.rules);
  for (const each of optionTexts(state.options)) query.append('option', each);
  if (state.was !== '') query.set('was', state.was);
  if (state.show === 'plan') query.set('show', 'plan');
  if (!state.fold) query.set('fold', '0');
  for (const each of state.unfolded) query.append('open', each);
  if (state.at !== '') query.set('at', state.at);
  if (state.anyhow) query.set('results', 'any');
  for (const { node, way } of state.pins) query.append('pin', `${way}:${node}`);
  return query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%3B', ';');
}
