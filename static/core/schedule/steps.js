/** @import { Integer, AddressTableJson, Move, MoveJson, PlanJson, Schedule, Step } from './types.js' */
import { digitOf, placed } from '../layout/digits.js';
import { checkSwizzle, swizzleOf } from '../layout/swizzle.js';
import { productOf } from '../shape.js';

/**
 * @param {Integer} value
 * @returns {number}
 */
function exact(value) {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`drawing needs numbers below 2^53: the plan has ${value}`);
  return number;
}

/**
 * The steps of a plan, decoded here: a step number is a mixed-radix number, the move first, then one
 * index per loop. Throws a RangeError where a number exceeds 2^53.
 * @param {{steps: Integer, plan: PlanJson}} answer of /schedule
 * @returns {Schedule}
 */
export function createSchedule({ steps, plan }) {
  const moves = plan.moves.map((move, index) => readMove(move, index, plan.element_bits));
  const source = plan.tables && addressesOf(plan.tables.source);
  const target = plan.tables && addressesOf(plan.tables.target);

  /** @param {number} step */
  function moveAt(step) {
    let low = 0;
    let high = moves.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (moves[middle].first <= step) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} step */
  function stepAt(step) {
    const move = moves[moveAt(step)];
    const at = step - move.first;
    if (move.addresses) return stepOf(move, step, [at], null, move.addresses[at], 1);
    const digits = digitsOf(at, move.turns);
    if (move.origin) {
      const coords = digits.map((digit, dim) => digit + /** @type {readonly number[]} */ (move.origin)[dim]);
      const read = move.source === null || !source ? null : source(coords);
      return stepOf(move, step, coords, read, target ? target(coords) : 0, 1);
    }
    return loopStep(move, step, digits);
  }

  return Object.freeze({
    steps: exact(steps),
    elementBits: plan.element_bits,
    kernel: plan.kernel,
    copyNeeded: plan.copy_needed,
    moves: Object.freeze(moves),
    stepAt,
    moveAt,
  });
}

/**
 * @param {MoveJson} json
 * @param {number} index
 * @param {number} elementBits
 * @returns {Move}
 */
function readMove(json, index, elementBits) {
  const loops = json.loops.map((loop) => Object.freeze({
    extent: exact(loop.extent),
    source_stride: exact(loop.source_stride),
    target_stride: exact(loop.target_stride),
    fill: exact(loop.fill),
  }));
  const { run, fill_run } = json;
  return Object.freeze({
    index,
    kernel: json.kernel,
    unit_bits: json.unit_bits,
    unitElements: json.unit_bits / elementBits,
    source: json.source === null ? null : exact(json.source),
    target: exact(json.target),
    loops: Object.freeze(loops),
    run,
    fill_run,
    origin: json.origin && json.origin.map(exact),
    addresses: json.addresses && json.addresses.map(exact),
    registers: json.registers,
    first: exact(json.first),
    steps: exact(json.steps),
    turns: Object.freeze(loops.map(({ extent, fill }, at) =>
      (at === run ? 1 : extent) + (at === fill_run ? Math.min(fill, 1) : fill))),
  });
}

/**
 * @param {AddressTableJson} table
 * @returns {(coords: readonly number[]) => number}
 */
function addressesOf({ offset, digits, swizzle }) {
  const start = exact(offset);
  const dims = digits.map((list) => placed(list.map(({ extent, stride }) => ({ extent: exact(extent), stride: exact(stride) }))));
  const swizzled = swizzleOf(checkSwizzle(swizzle));
  return (coords) => {
    let address = start;
    for (let dim = 0; dim < dims.length; dim += 1) {
      for (const digit of dims[dim]) address += digitOf(digit, coords[dim]) * digit.stride;
    }
    return swizzled(address);
  };
}

/**
 * @param {number} number
 * @param {readonly number[]} radices outermost first
 * @returns {number[]}
 */
export function digitsOf(number, radices) {
  const digits = new Array(radices.length).fill(0);
  let rest = number;
  for (let at = radices.length - 1; at >= 0; at -= 1) {
    const outer = Math.floor(rest / radices[at]);
    digits[at] = rest - outer * radices[at];
    rest = outer;
  }
  return digits;
}

/**
 * @param {Move} move
 * @param {number} step
 * @param {number[]} digits become the indices
 * @returns {Step}
 */
function loopStep(move, step, digits) {
  const { loops, run, fill_run, unitElements } = move;
  let units = 1;
  let fill = move.source === null;
  let read = move.source ?? 0;
  let written = move.target;
  for (let at = 0; at < loops.length; at += 1) {
    const { extent, source_stride, target_stride, fill: zeros } = loops[at];
    const beyond = digits[at] >= (at === run ? 1 : extent);
    if (at === run) {
      digits[at] = beyond ? extent : 0;
      units = extent;
    }
    if (beyond) {
      fill = true;
      if (at === fill_run) units = zeros;
    }
    read += digits[at] * source_stride;
    written += digits[at] * target_stride;
  }
  return stepOf(move, step, digits, fill ? null : read * unitElements, written * unitElements, units);
}

/**
 * @param {Move} move
 * @param {number} step
 * @param {readonly number[]} indices
 * @param {number | null} source_address
 * @param {number} target_address
 * @param {number} units
 * @returns {Step}
 */
function stepOf({ index, unit_bits }, step, indices, source_address, target_address, units) {
  return { step, move: index, indices, source_address, target_address, units, unit_bits, fill: source_address === null };
}

/**
 * Units that the first steps of a move copy, and that they write, zeros included; in O(rank).
 * @param {Move} move
 * @param {number} count of its steps
 * @returns {{copied: number, written: number}}
 */
export function unitsBefore(move, count) {
  if (move.addresses || move.origin) {
    const written = Math.min(count, move.steps);
    return { copied: move.source === null ? 0 : written, written };
  }
  if (count >= move.steps) {
    const copied = move.source === null ? 0 : productOf(move.loops.map(({ extent }) => extent));
    return { copied, written: productOf(move.loops.map(({ extent, fill }) => extent + fill)) };
  }
  const digits = digitsOf(count, move.turns);
  let copied = 0;
  let written = 0;
  // The units of one combination of the outer loops' present digits.
  let copies = move.source === null ? 0 : 1;
  let writes = 1;
  for (let at = 0; at < move.loops.length; at += 1) {
    const inner = move.loops.slice(at + 1);
    const { extent, fill } = move.loops[at];
    const passed = passedUnits(move, at, digits[at]);
    copied += copies * passed.copied * productOf(inner.map((loop) => loop.extent));
    written += writes * passed.written * productOf(inner.map((loop) => loop.extent + loop.fill));
    const turns = at === move.run ? 1 : extent;
    const beyond = digits[at] >= turns;
    if (beyond) copies = 0;
    writes *= at === move.run && !beyond ? extent : beyond && at === move.fill_run ? fill : 1;
    if (at === move.run && !beyond) copies *= extent;
  }
  return { copied, written };
}

/**
 * Units of one loop before one of its turns.
 * @param {Move} move
 * @param {number} at
 * @param {number} digit
 */
function passedUnits({ loops, run, fill_run }, at, digit) {
  const { extent, fill } = loops[at];
  const turns = at === run ? 1 : extent;
  const copied = at === run ? Math.min(digit, 1) * extent : Math.min(digit, extent);
  const beyond = Math.max(0, digit - turns);
  return { copied, written: copied + (at === fill_run ? Math.min(beyond, 1) * fill : beyond) };
}

/**
 * Elements copied and zeros written by the steps before one, in O(moves + rank).
 * @param {Schedule} schedule
 * @param {number} step
 * @returns {{copied: number, zeros: number}} in elements
 */
export function elementsBefore({ moves }, step) {
  let copied = 0;
  let zeros = 0;
  for (const move of moves) {
    if (move.first >= step) break;
    const units = unitsBefore(move, step - move.first);
    copied += units.copied * move.unitElements;
    zeros += (units.written - units.copied) * move.unitElements;
  }
  return { copied, zeros };
}
