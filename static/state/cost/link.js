/** @import { CostState } from '../types.js' */

const MOST_ORDER_CHARACTERS = 256;
const MOST_BYTES = 2 ** 21;
const MOST_CACHE_BYTES = 2 ** 30;
const MOST_WAYS = 1024;
const MOST_VECTOR = 32;

/** What is counted at first: the walk in logical order, lines of 64 bytes, no cache. @type {Readonly<CostState>} */
export const NO_COST = Object.freeze({
  what: 'walk',
  order: '',
  line_bytes: 64,
  page_bytes: 4096,
  cache_bytes: 0,
  ways: 8,
  along: '',
  vector: 1,
  space: 'global',
});

/**
 * @param {string} text
 * @param {number} least
 * @param {number} most
 * @returns {number | null} null for what is no integer within the bounds
 */
export function wholeNumber(text, least, most) {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : null;
}

/** The bounds of the numbers. @type {Readonly<Record<'line_bytes' | 'page_bytes' | 'cache_bytes' | 'ways' | 'vector', [number, number]>>} */
export const BOUNDS = Object.freeze({
  line_bytes: [1, MOST_BYTES],
  page_bytes: [1, MOST_BYTES],
  cache_bytes: [0, MOST_CACHE_BYTES],
  ways: [1, MOST_WAYS],
  vector: [1, MOST_VECTOR],
});

/** The names in a query. @type {readonly [keyof typeof BOUNDS, string][]} */
const NUMBERS = Object.freeze([
  ['line_bytes', 'line'],
  ['page_bytes', 'page'],
  ['cache_bytes', 'cache'],
  ['ways', 'ways'],
  ['vector', 'vector'],
]);

/**
 * Reads what is counted from a query: bounded, with defaults, frozen. Never throws.
 * @param {URLSearchParams} query
 * @returns {Readonly<CostState>}
 */
export function parseCost(query) {
  /** @param {string} name */
  const text = (name) => (query.get(name) ?? '').slice(0, MOST_ORDER_CHARACTERS);
  const numbers = NUMBERS.map(([name, short]) => [name, wholeNumber(query.get(short) ?? '', ...BOUNDS[name]) ?? NO_COST[name]]);
  return Object.freeze({
    ...NO_COST,
    ...Object.fromEntries(numbers),
    what: query.get('cost') === 'warp' ? 'warp' : 'walk',
    order: text('order'),
    along: text('along'),
    space: query.get('space') === 'shared' ? 'shared' : 'global',
  });
}

/**
 * Writes the size of what the colours count into a picture's query, where it is not the usual one.
 * @param {import('../types.js').PageState} state
 * @param {URLSearchParams} query
 */
export function formatUnits({ colour, cost }, query) {
  for (const [name, short] of NUMBERS) {
    if (colour === `@${short}` && cost[name] !== NO_COST[name]) query.set(short, String(cost[name]));
  }
}

/**
 * Writes what is counted into a query, without the defaults.
 * @param {Readonly<CostState>} cost
 * @param {URLSearchParams} query
 */
export function formatCost(cost, query) {
  if (cost.what !== NO_COST.what) query.set('cost', cost.what);
  if (cost.order) query.set('order', cost.order);
  for (const [name, short] of NUMBERS) {
    if (cost[name] !== NO_COST[name]) query.set(short, String(cost[name]));
  }
  if (cost.along) query.set('along', cost.along);
  if (cost.space !== NO_COST.space) query.set('space', cost.space);
}
