import { post } from './client.js';

/** @import { Description } from './types.js' */
/** @import { Integer } from '../core/types.js' */

/**
 * What /cost answers. Only what the page reads.
 *
 * @typedef {{smallest: Integer | null, median: Integer | null, largest: Integer | null}} Jumps
 * @typedef {{accesses: Integer, at_least: string[], partial: string[]}} Stopped
 * @typedef {{order: string, lines_fetched: Integer, pages_fetched: Integer, best: boolean, stopped: Stopped | null}} OrderCost
 * @typedef {Pick<OrderCost, 'order' | 'lines_fetched' | 'stopped'> & {own?: boolean}} RowCost own: with the blocks of a layout
 *
 * @typedef {object} WalkCost
 * @property {string} order
 * @property {Integer} accesses
 * @property {{distinct: Integer, fetched: Integer, useful_bytes: Integer, fetched_bytes: Integer}} lines
 * @property {{distinct: Integer, fetched: Integer}} pages
 * @property {Jumps} jumps
 * @property {Stopped | null} stopped
 * @property {OrderCost[]} [orders]
 *
 * @typedef {{coordinate: number[] | null, address: Integer | null, byte: Integer | null}} Lane
 * @typedef {{first_lane: number, lanes: number, words: number, passes: number}} Phase
 * @typedef {{along: string, warps: number, passes: number, conflicts: number}} SharedAccess of all warps
 *
 * @typedef {object} Fix
 * @property {string} layout
 * @property {number[] | null} swizzle
 * @property {number | null} padding
 * @property {string | null} outside
 * @property {number} extra_elements
 * @property {SharedAccess[]} accesses
 *
 * @typedef {object} WarpCounts
 * @property {number | null} sectors
 * @property {number | null} ideal_sectors
 * @property {number | null} passes
 * @property {number | null} ideal_passes
 * @property {number | null} conflicts
 *
 * @typedef {object} WarpFacts
 * @property {Lane[]} lanes
 * @property {Phase[]} phases
 * @property {number} lane_bytes
 * @property {boolean} aligned
 * @property {boolean} contiguous
 * @property {WarpCounts & {warps: number} | null} all
 * @property {{accesses: SharedAccess[], padding: Fix | null, swizzles: Fix[], found: number}} [suggestion]
 *
 * @typedef {WarpCounts & WarpFacts} WarpCost counts of one warp
 */

/** @typedef {{order?: string, line_bytes: number, page_bytes: number, cache?: {bytes: number, ways: number}, orders: boolean}} WalkAsked */
/** @typedef {{along?: string[], at?: readonly number[], vector: number, space: 'global' | 'shared', suggest: boolean}} WarpAsked */

/**
 * Asks what a walk costs.
 * @param {Description} description
 * @param {WalkAsked} walk
 * @param {AbortSignal} signal
 * @returns {Promise<WalkCost>}
 * @throws {import('./client.js').ApiProblem} where the API refuses or cannot be reached
 */
export async function walkCost(description, walk, signal) {
  const body = `{"tensor": ${tensorOf(description)}, "walk": ${JSON.stringify(walk)}}`;
  return /** @type {WalkCost} */ (await post('cost', body, signal));
}

/**
 * Asks what a walk costs in each order of its loops, after those with the blocks of a layout.
 * @param {Description} description
 * @param {{walk: WalkAsked, owns: readonly string[]}} asked
 * @param {AbortSignal} signal
 * @returns {Promise<readonly RowCost[]>} the cheapest first, after the layouts' own
 * @throws {import('./client.js').ApiProblem} where the API refuses or cannot be reached
 */
export async function orderCosts(description, { walk, owns }, signal) {
  const [all, ...blocked] = await Promise.all([
    walkCost(description, { ...walk, orders: true }, signal),
    ...owns.map((order) => walkCost(description, { ...walk, order }, signal)),
  ]);
  const own = blocked.map(({ order, lines, stopped }) => ({ order, lines_fetched: lines.fetched, stopped: stopped?.at_least.includes('lines.fetched') ? stopped : null, own: true }));
  return [...own, ...(all.orders ?? [])];
}

/**
 * Asks what an access of a warp costs.
 * @param {Description} description
 * @param {WarpAsked} warp
 * @param {AbortSignal} signal
 * @returns {Promise<WarpCost>}
 * @throws {import('./client.js').ApiProblem} where the API refuses or cannot be reached
 */
export async function warpCost(description, warp, signal) {
  const body = `{"tensor": ${tensorOf(description)}, "warp": ${JSON.stringify(warp)}}`;
  return /** @type {WarpCost} */ (await post('cost', body, signal));
}

/**
 * The JSON of the tensor that a description is of, also of a view.
 * @param {Description} description
 */
function tensorOf({ shape, dims, layout, dtype }) {
  const names = JSON.stringify([...dims].join(''));
  return `{"shape": [${shape.join(', ')}], "layout": ${JSON.stringify(layout)}, "dims": ${names}, "dtype": ${JSON.stringify(dtype)}}`;
}
