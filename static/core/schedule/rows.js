import { NEVER } from './inverse.js';

const MOST_KEPT = 8192;

/**
 * A row of memory: the step that reads or writes each of its addresses, NEVER where none does, and the
 * first and last of these steps.
 * @typedef {{steps: Float64Array, first: number, last: number}} Row
 */

/**
 * The rows of one memory, or its cache lines. They do not change with time, so a frame only compares.
 * @param {(address: number) => number} stepOf
 * @param {number} rowLength_elems
 * @param {number} bufferElements
 * @returns {(row: number) => Row}
 */
export function createRows(stepOf, rowLength_elems, bufferElements) {
  /** @type {Map<number, Row>} */
  const known = new Map();
  return (row) => {
    let found = known.get(row);
    if (found) return found;
    if (known.size >= MOST_KEPT) known.clear();
    const steps = new Float64Array(rowLength_elems).fill(NEVER);
    let first = Infinity;
    let last = NEVER;
    const start = row * rowLength_elems;
    const end = Math.min(rowLength_elems, bufferElements - start);
    for (let column = 0; column < end; column += 1) {
      const step = stepOf(start + column);
      steps[column] = step;
      if (step === NEVER) continue;
      first = Math.min(first, step);
      last = Math.max(last, step);
    }
    found = { steps, first, last };
    known.set(row, found);
    return found;
  };
}

/**
 * What a cache line is at a moment: no step has touched it, some have, or all that ever will.
 * @typedef {'untouched' | 'open' | 'full' | 'never'} LineState never: no step touches it
 */

/**
 * @param {Pick<Row, 'first' | 'last'>} row
 * @param {number} step the last that is done
 * @returns {LineState}
 */
export function lineState({ first, last }, step) {
  if (last === NEVER) return 'never';
  if (first > step) return 'untouched';
  return last > step ? 'open' : 'full';
}
