/** @import { Tensor, SliceDim } from '../types.js' */
import { digitOf } from '../layout/digits.js';
import { periodOf, swizzleOf } from '../layout/swizzle.js';

/** Boxes that are looked at in all. Where strides interleave wildly, places beyond it stay unmarked. */
const MOST_BOXES = 2 ** 18;

/**
 * A box of a slice: along each dimension the indices low..high of what the slice takes.
 * @typedef {{low: number[], high: number[]}} Box
 */

/**
 * Where the elements of a slice lie, on a line of equal places: a place is marked where at least one of its
 * addresses is taken. Boxes are halved until each lies in one place, so the work grows with the places, not
 * with the elements.
 */
export class Touched {
  /** 1 for a place with a taken address. @type {Uint8Array} */
  marks;
  /** @type {Box[]} */
  #waiting = [];
  #boxes = 0;

  /**
   * @param {Tensor} tensor
   * @param {readonly SliceDim[]} slice one per dimension
   * @param {number} places
   */
  constructor(tensor, slice, places) {
    this.#tensor = tensor;
    this.#slice = slice;
    this.marks = new Uint8Array(places);
    this.#swizzled = swizzleOf(tensor.swizzle);
    this.#period = tensor.swizzle ? periodOf(tensor.swizzle) : 1;
    if (tensor.bufferElements > 0 && slice.every(({ count }) => count > 0)) {
      this.#waiting.push({ low: slice.map(() => 0), high: slice.map(({ count }) => count - 1) });
    }
  }

  #tensor;
  #slice;
  #swizzled;
  #period;

  get done() {
    return this.#waiting.length === 0;
  }

  /** @param {number} boxes to look at */
  advance(boxes) {
    for (let at = 0; at < boxes && this.#waiting.length > 0; at += 1) {
      this.#look(/** @type {Box} */ (this.#waiting.pop()));
      this.#boxes += 1;
      if (this.#boxes >= MOST_BOXES) this.#waiting = [];
    }
  }

  /** @param {Box} box */
  #look(box) {
    let least = this.#tensor.offset;
    let most = least;
    let widest = -1;
    let width = 0;
    for (let dim = 0; dim < box.low.length; dim += 1) {
      const [from, to] = this.#reach(dim, box.low[dim], box.high[dim]);
      least += from;
      most += to;
      if (to - from > width) [widest, width] = [dim, to - from];
    }
    if (widest < 0) {
      this.marks[this.#placeOf(this.#swizzled(least))] = 1;
      return;
    }
    const first = this.#placeOf(least - (least % this.#period));
    const last = this.#placeOf(most - (most % this.#period) + this.#period - 1);
    if (first === last) {
      this.marks[first] = 1;
      return;
    }
    for (let place = first; place <= last; place += 1) {
      if (this.marks[place] === 0) {
        this.#halve(box, widest);
        return;
      }
    }
  }

  /** @param {number} address */
  #placeOf(address) {
    const place = Math.floor((address / this.#tensor.bufferElements) * this.marks.length);
    return Math.max(0, Math.min(this.marks.length - 1, place));
  }

  /**
   * Bounds of what one dimension adds to the addresses of a box; of one index, exactly.
   * @param {number} dim
   * @param {number} low
   * @param {number} high
   * @returns {[number, number]}
   */
  #reach(dim, low, high) {
    const [from, to] = this.#between(dim, low, high);
    let [least, most] = [0, 0];
    let split = false;
    for (const digit of this.#tensor.digits[dim]) {
      const begin = split ? 0 : digitOf(digit, from);
      const last = split ? digit.extent - 1 : digitOf(digit, to);
      least += Math.min(begin * digit.stride, last * digit.stride);
      most += Math.max(begin * digit.stride, last * digit.stride);
      // The inner digits take all their values once an outer one changes.
      if (begin !== last) split = true;
    }
    return [least, most];
  }

  /**
   * @param {number} dim
   * @param {number} low
   * @param {number} high
   * @returns {[number, number]} the least and greatest coordinate
   */
  #between(dim, low, high) {
    const { start, step } = this.#slice[dim];
    const one = start + step * low;
    const other = start + step * high;
    return one < other ? [one, other] : [other, one];
  }

  /**
   * @param {Box} box
   * @param {number} dim that is cut, where its outermost digit that varies changes, near the middle
   */
  #halve({ low, high }, dim) {
    const [from, to] = this.#between(dim, low[dim], high[dim]);
    const outer = this.#tensor.digits[dim].find((digit) => digitOf(digit, from) !== digitOf(digit, to));
    const weight = outer?.weight ?? 1;
    const border = Math.max(from - (from % weight) + weight, Math.round((from + to + 1) / 2 / weight) * weight);
    const { start, step } = this.#slice[dim];
    const at = step > 0 ? Math.ceil((border - start) / step) : Math.floor((border - start) / step) + 1;
    const cut = Math.max(low[dim] + 1, Math.min(high[dim], at));
    /** @param {number[]} list @param {number} value */
    const changed = (list, value) => list.map((own, index) => (index === dim ? value : own));
    this.#waiting.push({ low: changed(low, cut), high }, { low, high: changed(high, cut - 1) });
  }
}
