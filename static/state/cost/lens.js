import { ApiProblem } from '../../api/client.js';
import { orderCosts, walkCost, warpCost } from '../../api/cost.js';
import { blockedOrder } from '../../core/cost/own-order.js';
import { Retry } from '../retry.js';

/** @import { Session } from '../session.js' */
/** @import { CostState, Side } from '../types.js' */
/** @import { Description } from '../../api/types.js' */
/** @import { RowCost, WalkCost, WarpCost } from '../../api/cost.js' */

/**
 * @template T
 * @typedef {{answer: T | null, problem: string}} Counted problem: what the API refuses; empty while it counts
 */

/** The most loops whose orders are compared. */
const MOST_LOOPS = 4;
/** An answer that takes longer than this is late. */
const SLOW_MS = 400;

/** What is counted for A and B while the costs are shown, and the suggestion that the reader asked for. */
export class Lens {
  #session;
  /** @type {Map<string, {key: string, stop: AbortController}>} */
  #asked = new Map();
  #retry = new Retry(() => this.#askAgain());
  /** @type {Set<string>} what is not answered yet */
  #open = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @type {Record<Side, Counted<WalkCost> | null>} null without a B, and while nothing is counted */
  walks = { a: null, b: null };
  /** @type {Record<Side, Counted<readonly RowCost[]> | null>} the same walks in all orders, which take longer */
  orders = { a: null, b: null };
  /** @type {Record<Side, Counted<WarpCost> | null>} */
  warps = { a: null, b: null };
  /** Whether an answer takes long. */
  late = false;
  /** @type {Counted<WarpCost> | null} for A, null where none was asked for since the last change */
  suggested = null;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
  }

  /** @param {AbortSignal} signal */
  follow(signal) {
    this.#session.on(['state', 'answer', 'selected'], () => this.ask(), signal);
    signal.addEventListener('abort', () => this.#forget());
  }

  /** Whether the costs are shown. */
  get shown() {
    return this.#session.state.tab === 'cost';
  }

  /** Counts what the state asks for and what is not counted yet. */
  ask() {
    if (!this.shown) return;
    const owns = this.#blockedOrders();
    for (const side of /** @type {const} */ (['a', 'b'])) {
      const description = this.#session.answers[side]?.description ?? null;
      const { what } = this.#session.state.cost;
      if (what === 'walk') {
        this.#count(this.walks, side, description, walkAsked(this.#session.state.cost), walkCost);
        this.#count(this.orders, side, isOrdered(description) ? description : null, ordersAsked(this.#session.state.cost, owns), orderCosts);
      } else this.#count(this.warps, side, description, this.#warpAsked(description, false), warpCost);
    }
  }

  /** The orders of A and of B with blocks, where both have the same dimensions. */
  #blockedOrders() {
    const { a, b } = this.#session.answers;
    const both = [a, b].flatMap((each) => (each && String(each.description.dims) === String(a?.description.dims) ? [blockedOrder(each.description)] : []));
    return [...new Set(both)].filter(Boolean);
  }

  /** Searches paddings and swizzles for A without bank conflicts. */
  suggest() {
    const description = this.#session.answers.a?.description ?? null;
    const found = { s: /** @type {Counted<WarpCost> | null} */ (null) };
    this.#count(found, 's', description, this.#warpAsked(description, true), warpCost, () => (this.suggested = found.s));
  }

  /**
   * @param {Description | null} description
   * @param {boolean} suggest
   */
  #warpAsked(description, suggest) {
    const { along, vector, space } = this.#session.state.cost;
    const selected = this.#session.state.selected;
    const at = description && selected?.length === description.shape.length && this.#session.selected ? selected : undefined;
    return { ...(along ? { along: [...along] } : {}), ...(at ? { at } : {}), vector, space, suggest };
  }

  /**
   * @template T, W
   * @template {string} K
   * @param {Record<K, Counted<T> | null>} results
   * @param {K} side
   * @param {Description | null} description
   * @param {W} asked
   * @param {(description: Description, asked: W, signal: AbortSignal) => Promise<T>} call
   * @param {() => void} [done]
   */
  async #count(results, side, description, asked, call, done = () => {}) {
    const part = `${call.name} ${side}`;
    const key = description && JSON.stringify([description.shape, description.layout, description.dims, description.dtype, asked]);
    const open = this.#asked.get(part);
    if (open?.key === (key ?? '')) return;
    open?.stop.abort();
    if (side !== 's') this.suggested = null;
    const stop = new AbortController();
    this.#asked.set(part, { key: key ?? '', stop });
    if (description) {
      this.#begin(part);
      try {
        const answer = await call(description, asked, stop.signal);
        if (stop.signal.aborted) return;
        this.#retry.answered();
        results[side] = { answer, problem: '' };
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!(error instanceof ApiProblem)) throw error;
        if (error.away) this.#retry.failed();
        results[side] = { answer: null, problem: error.problems[0].message };
      }
      done();
    } else {
      results[side] = null;
    }
    this.#end(part);
  }

  /** @param {string} part */
  #begin(part) {
    this.#open.add(part);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.late = true;
      this.#session.tell('cost');
    }, SLOW_MS);
  }

  /** @param {string} part */
  #end(part) {
    this.#open.delete(part);
    if (this.#open.size === 0) {
      clearTimeout(this.#timer);
      this.late = false;
    }
    this.#session.tell('cost');
  }

  #askAgain() {
    this.#forget();
    this.ask();
  }

  #forget() {
    for (const { stop } of this.#asked.values()) stop.abort();
    this.#asked.clear();
    this.#open.clear();
    clearTimeout(this.#timer);
  }
}

/** @param {Readonly<CostState>} cost */
function walkAsked({ order, line_bytes, page_bytes, cache_bytes, ways }) {
  return {
    ...(order ? { order } : {}),
    line_bytes,
    page_bytes,
    ...(cache_bytes ? { cache: { bytes: cache_bytes, ways } } : {}),
    orders: false,
  };
}

/**
 * @param {Readonly<CostState>} cost all orders: whichever is typed
 * @param {readonly string[]} owns orders that have blocks
 */
function ordersAsked(cost, owns) {
  return { walk: walkAsked({ ...cost, order: '' }), owns };
}

/** @param {Description | null} description @returns {boolean} whether there are orders to compare, and not too many */
function isOrdered(description) {
  const loops = description?.shape.filter((size) => Number(size) !== 1).length ?? 0;
  return loops > 1 && loops <= MOST_LOOPS;
}

/** @type {WeakMap<Session, Lens>} */
const lenses = new WeakMap();

/**
 * @param {Session} session
 * @returns {Lens} the one of this page
 */
export function lensOf(session) {
  const lens = lenses.get(session) ?? new Lens(session);
  lenses.set(session, lens);
  return lens;
}

/**
 * @param {Session} session
 * @param {string} order with the blocks of A or of B
 * @returns {string} the layout whose own order it is
 */
export function layoutOf({ answers: { a, b } }, order) {
  const own = [a, b].find((each) => each && blockedOrder(each.description) === order);
  return own?.description.layout ?? order;
}
