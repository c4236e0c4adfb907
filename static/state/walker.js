import { readOrder } from '../core/walk/order.js';
import { loopWalk, memoryWalk, stepWithin } from '../core/walk/walk.js';

/** @import { Session } from './session.js' */
/** @import { Side } from './types.js' */
/** @import { Tensor } from '../core/types.js' */
/** @import { Visit, Walk } from '../core/walk/walk.js' */

/** Steps behind the present one that are drawn. */
export const TRAIL = 32;
/** Of the search for the owners of one cell of the trail, where strides interleave. */
const TRAIL_BUDGET = 256;
const KEPT = 64;

/** The walk through the tensor: its order and step are in the state of the page. */
export class Walker {
  #session;
  /** @type {{tensor: Tensor, order: string, walk: Walk} | null} */
  #made = null;
  /** @type {(Visit | null)[]} the last that were decoded */
  #visits = [];
  #moving = false;

  #playing = false;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
  }

  /**
   * Follows the session: a cell that is chosen in a grid becomes the present step.
   * @param {AbortSignal} signal
   */
  follow(signal) {
    const session = this.#session;
    session.on('selected', () => !this.#moving && this.#follow(), signal);
    session.on(['answer', 'restored'], () => this.#arrive(), signal);
  }

  /** The memory that is walked by address; A's for loops. @returns {Side} */
  get side() {
    return this.#session.state.walk?.order === 'memory b' ? 'b' : 'a';
  }

  /** @returns {Walk | null} null where nobody walks, where the order does not fit, and where there is no step */
  get walk() {
    const { state, answers } = this.#session;
    const tensor = answers[this.side]?.tensor;
    if (!state.walk || !tensor) return null;
    const { order } = state.walk;
    if (this.#made?.tensor !== tensor || this.#made.order !== order) {
      const walk = walkOf(tensor, order);
      if (!walk || walk.steps === 0) return null;
      this.#made = { tensor, order, walk };
      this.#visits = [];
    }
    return this.#made.walk;
  }

  /** @returns {Visit | null} what the present step meets */
  get now() {
    const { walk } = this;
    return walk && this.#visit(walk, this.step);
  }

  get step() {
    const { walk } = this;
    return walk ? stepWithin(walk, this.#session.state.walk?.step ?? 0) : 0;
  }

  /** @returns {Visit[]} the steps before the present one, the last first */
  get trail() {
    const { walk, step } = this;
    const count = walk ? Math.min(TRAIL, step) : 0;
    return Array.from({ length: count }, (_, at) => this.#visit(/** @type {Walk} */ (walk), step - 1 - at));
  }

  /**
   * @param {Walk} walk
   * @param {number} step
   */
  #visit(walk, step) {
    const place = step % KEPT;
    if (this.#visits[place]?.step !== step) this.#visits[place] = walk.at(step, TRAIL_BUDGET);
    return /** @type {Visit} */ (this.#visits[place]);
  }

  /** Begins to walk by address, at the chosen cell or at the beginning. */
  open() {
    this.choose('memory');
  }

  close() {
    this.#session.change({ walk: null }, 'push');
    this.#session.tell('walk');
  }

  /**
   * Takes another order; the walk stays at its cell where the new order meets it.
   * @param {string} order 'memory', 'memory b', 'logical', or loops as readOrder reads them
   */
  choose(order) {
    const session = this.#session;
    session.change({ walk: Object.freeze({ order, step: 0 }) }, 'push');
    const { walk } = this;
    const coords = session.selected;
    if (walk) this.go(coords ? walk.stepOf(coords) : 0);
    else session.tell('walk');
  }

  /**
   * Goes to a step.
   * @param {number} step beyond an end: that end
   */
  go(step) {
    const { walk } = this;
    const session = this.#session;
    const order = session.state.walk?.order;
    if (!walk || order === undefined) return;
    const visit = this.#visit(walk, stepWithin(walk, step));
    const { coords, address } = visit;
    this.#moving = true;
    session.visit(Object.freeze({ order, step: visit.step }), { side: this.side, coords, address });
    this.#moving = false;
    session.tell('walk');
  }

  /** Whether a player takes steps by itself: they are announced when it rests. */
  get playing() {
    return this.#playing;
  }

  set playing(playing) {
    this.#playing = playing;
    this.#session.tell('walk');
  }

  /** A cell was chosen in a grid: the walk goes on from there. */
  #follow() {
    const { walk } = this;
    const { pointed, selected, state } = this.#session;
    if (!walk || !state.walk) return;
    const vacant = pointed && !pointed.coords && pointed.side === this.side ? pointed.address : null;
    const chosen = pointed ? null : selected;
    const step = vacant !== null ? walk.stepAt(vacant) : chosen && walk.stepOf(chosen);
    if (step === null || step === state.walk.step) return;
    this.#session.change({ walk: Object.freeze({ ...state.walk, step }) });
    this.#session.tell('walk');
  }

  /** Another tensor, or another state: the present step is shown in it. */
  #arrive() {
    if (!this.#session.state.walk) return;
    const { selected, state } = this.#session;
    const { now } = this;
    // What is chosen already has its place in the grids.
    const shown = now?.coords && now.step === state.walk?.step && String(now.coords) === String(selected);
    if (now && !shown) this.go(now.step);
    else this.#session.tell('walk');
  }
}

/**
 * @param {Tensor} tensor
 * @param {string} order
 * @returns {Walk | null} null where the order does not fit
 */
function walkOf(tensor, order) {
  if (order === 'memory' || order === 'memory b') return memoryWalk(tensor);
  if (order === 'logical') return loopWalk(tensor, tensor.dims.map((_, dim) => dim));
  const read = readOrder(order, tensor.dims);
  return 'order' in read ? loopWalk(tensor, read.order) : null;
}

/** @type {WeakMap<Session, Walker>} */
const walkers = new WeakMap();

/**
 * @param {Session} session
 * @returns {Walker} the one of this page
 */
export function walkerOf(session) {
  const walker = walkers.get(session) ?? new Walker(session);
  walkers.set(session, walker);
  return walker;
}
