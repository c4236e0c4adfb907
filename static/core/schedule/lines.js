/** @import { Move, Schedule } from './types.js' */
import { elementsBefore } from './steps.js';

export const LINE_BYTES = 64;
const LINE_BITS = LINE_BYTES * 8;
/** Work for which all steps are counted: one for each step, and one for each line that it touches. */
export const MOST_COUNTED = 2 ** 20;
const WINDOW = 2 ** 16;
const MOST_LISTED_LINES = 2 ** 21;

/**
 * The steps that are counted: all, or the window that a step lies in.
 * @typedef {{from: number, to: number, whole: boolean}} Window
 */

/**
 * @param {Schedule} schedule
 * @param {number} step
 * @returns {Window}
 */
export function windowAt({ moves, steps, elementBits, moveAt }, step) {
  const costs = moves.map((move) => 1 + Math.ceil(longestRun(move) * move.unitElements * elementBits / LINE_BITS));
  const work = moves.reduce((sum, move, at) => sum + move.steps * costs[at], 0);
  if (work <= MOST_COUNTED) return { from: 0, to: steps, whole: true };
  const index = moveAt(step);
  const { first, steps: own } = moves[index];
  const size = 2 ** Math.floor(Math.log2(Math.max(1, WINDOW / costs[index])));
  const from = first + Math.floor((step - first) / size) * size;
  return { from, to: Math.min(from + size, first + own), whole: false };
}

/** @param {Move} move */
function longestRun({ loops, run, fill_run }) {
  const copied = run === null ? 1 : loops[run].extent;
  return Math.max(copied, fill_run === null ? 1 : loops[fill_run].fill);
}

/**
 * The lines of one memory: the step that touches each first and last, and how many are touched.
 * Buffers begin at a line.
 */
class Lines {
  #first;
  #last;
  /** Steps that touch a new line, ascending, and how many lines are touched after each. */
  #steps = /** @type {number[]} */ ([]);
  #totals = /** @type {number[]} */ ([]);
  total = 0;

  /** @param {number} count of all lines */
  constructor(count) {
    const listed = count <= MOST_LISTED_LINES;
    this.#first = listed ? new Int32Array(count) : new Map();
    this.#last = listed ? new Int32Array(count) : new Map();
  }

  /**
   * @param {number} from first line
   * @param {number} to last line
   * @param {number} step
   * @param {number} at the step's place in the window, from 1
   */
  touch(from, to, step, at) {
    const before = this.total;
    // A run that is longer than a whole window has one of its own.
    if (to - from > MOST_COUNTED) this.total += to - from + 1;
    else for (let line = from; line <= to; line += 1) this.#one(line, at);
    if (this.total === before) return;
    this.#steps.push(step);
    this.#totals.push(this.total);
  }

  /**
   * @param {number} line
   * @param {number} at
   */
  #one(line, at) {
    if (this.#first instanceof Map) {
      if (this.#first.has(line)) return;
      this.#first.set(line, at);
      this.total += 1;
      return;
    }
    if (this.#first[line] === 0) {
      this.#first[line] = at;
      this.total += 1;
    }
    /** @type {Int32Array} */ (this.#last)[line] = at;
  }

  /**
   * Lines touched up to a step, that step included.
   * @param {number} step
   */
  upTo(step) {
    let low = 0;
    let high = this.#steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#steps[middle] <= step) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : this.#totals[low - 1];
  }

  /**
   * @param {number} line
   * @returns {{first: number, last: number} | null} places in the window, from 1; null where not touched or not listed
   */
  spanOf(line) {
    if (this.#first instanceof Map || this.#last instanceof Map || !this.#first[line]) return null;
    return { first: this.#first[line], last: this.#last[line] };
  }
}

/** Cache lines read and written by the steps of a window, counted step by step in slices of work. */
export class LineCount {
  /** The next step that is not counted yet. */
  next;
  #schedule;

  /**
   * @param {Schedule} schedule
   * @param {Window} window
   * @param {{source: number, target: number}} elements of the buffers
   */
  constructor(schedule, window, { source, target }) {
    this.#schedule = schedule;
    this.window = window;
    this.next = window.from;
    const linesOf = (/** @type {number} */ elements) => Math.ceil((elements * schedule.elementBits) / LINE_BITS);
    this.read = new Lines(linesOf(source));
    this.written = new Lines(linesOf(target));
  }

  get done() {
    return this.next >= this.window.to;
  }

  /** @param {number} steps how many to count now, at most */
  advance(steps) {
    const { elementBits, moves, stepAt } = this.#schedule;
    const end = Math.min(this.window.to, this.next + steps);
    for (; this.next < end; this.next += 1) {
      const { source_address, target_address, units, move } = stepAt(this.next);
      const bits = units * moves[move].unit_bits;
      const at = this.next - this.window.from + 1;
      const write = target_address * elementBits;
      this.written.touch(Math.floor(write / LINE_BITS), Math.floor((write + bits - 1) / LINE_BITS), this.next, at);
      if (source_address === null) continue;
      const read = source_address * elementBits;
      this.read.touch(Math.floor(read / LINE_BITS), Math.floor((read + bits - 1) / LINE_BITS), this.next, at);
    }
  }

  /**
   * What the steps of the window moved, up to a step and with it; null while that is not counted.
   * @param {number} step
   */
  upTo(step) {
    if (step >= this.next) return null;
    const { elementBits } = this.#schedule;
    const before = elementsBefore(this.#schedule, this.window.from);
    const after = elementsBefore(this.#schedule, step + 1);
    const bytes = (/** @type {number} */ elements) => (elements * elementBits) / 8;
    const copied_bytes = bytes(after.copied - before.copied);
    const lines = { read: this.read.upTo(step), written: this.written.upTo(step) };
    return Object.freeze({
      copied_bytes,
      zero_bytes: bytes(after.zeros - before.zeros),
      read: { lines: lines.read, wasted_bytes: lines.read * LINE_BYTES - copied_bytes },
      written: { lines: lines.written, wasted_bytes: lines.written * LINE_BYTES - copied_bytes },
    });
  }
}
