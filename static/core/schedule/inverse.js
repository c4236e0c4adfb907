/** @import { Tensor } from '../types.js' */
/** @import { Move, Schedule } from './types.js' */

/** No step: padding that nothing reads, a gap, what lies outside. */
export const NEVER = -1;
const MOST_ENUMERATED = 2 ** 20;

/**
 * Which step writes an address of the target, and which reads one of the source: the inverse of the
 * decoding, in O(moves · rank). Where loops interleave, a table of all steps; null where it would be
 * too large.
 * @param {Schedule} schedule
 * @param {Tensor} source
 * @param {Tensor} target
 * @returns {{writing: (address: number) => number, reading: (address: number) => number} | null}
 */
export function createInverse(schedule, source, target) {
  const { moves } = schedule;
  const nested = moves.every((move) => move.origin !== null || move.addresses !== null || isNested(move));
  const listed = nested ? null : tableOf(schedule);
  if (!nested && !listed) return null;

  const ranges = moves.map(rangeOf);

  /** @param {number} address */
  function writing(address) {
    if (listed) return listed.get(address) ?? NEVER;
    for (let k = 0; k < moves.length; k += 1) {
      // A plan of thousands of moves is passed through quickly: most are elsewhere in memory.
      if (address < ranges[k].first || address > ranges[k].last) continue;
      const move = moves[k];
      const at = move.origin ? ofTable(move, target, address) : move.addresses ? move.addresses.indexOf(address) : ofLoops(move, address);
      if (at !== NEVER) return move.first + at;
    }
    return NEVER;
  }

  /** @param {number} address of elements that share it, the step of the first in row-major order */
  function reading(address) {
    const owner = source.ownerOf(address);
    const owned = owner.kind === 'element' || owner.kind === 'shared';
    return owned && owner.coords ? writing(target.addressOf(owner.coords)) : NEVER;
  }

  return Object.freeze({ writing, reading });
}

/**
 * Addresses among which a move writes.
 * @param {Move} move
 */
function rangeOf({ loops, target, unitElements, origin, addresses }) {
  if (origin || addresses) return { first: 0, last: Infinity };
  const reach = loops.reduce((sum, { extent, fill, target_stride }) => sum + (extent + fill - 1) * target_stride, 0);
  return { first: target * unitElements, last: (target + reach + 1) * unitElements - 1 };
}

/** @param {Move} move */
function isNested({ loops }) {
  let reach = 0;
  for (const { extent, fill, target_stride } of [...loops].reverse()) {
    if (target_stride <= reach && extent + fill > 1) return false;
    reach += (extent + fill - 1) * target_stride;
  }
  return true;
}

/**
 * The step of a move that writes an address, counted from its first; NEVER where none does.
 * @param {Move} move
 * @param {number} address
 */
function ofLoops({ loops, turns, target, unitElements, run, fill_run }, address) {
  let rest = Math.floor(address / unitElements) - target;
  if (rest < 0) return NEVER;
  let at = 0;
  for (let k = 0; k < loops.length; k += 1) {
    const { extent, fill, target_stride } = loops[k];
    const index = extent + fill === 1 ? 0 : Math.floor(rest / target_stride);
    if (index >= extent + fill) return NEVER;
    rest -= index * target_stride;
    const copies = k === run ? 1 : extent;
    const digit = index < extent ? (k === run ? 0 : index) : copies + (k === fill_run ? 0 : index - extent);
    at = at * turns[k] + digit;
  }
  return rest === 0 ? at : NEVER;
}

/**
 * The same for a copy through address tables: the coordinate's place among those of the move.
 * @param {Move} move
 * @param {Tensor} target
 * @param {number} address
 */
function ofTable({ origin, turns, source }, target, address) {
  const { kind, coords } = target.ownerOf(address);
  if (!coords || !origin || (kind === 'padding') !== (source === null)) return NEVER;
  let at = 0;
  for (let dim = 0; dim < turns.length; dim += 1) {
    const place = coords[dim] - origin[dim];
    if (place < 0 || place >= turns[dim]) return NEVER;
    at = at * turns[dim] + place;
  }
  return at;
}

/**
 * @param {Schedule} schedule
 * @returns {Map<number, number> | null} the step of each address; null for too many
 */
function tableOf({ steps, moves, stepAt }) {
  const most = moves.reduce((sum, { steps: count, loops, unitElements }) =>
    sum + count * unitElements * loops.reduce((longest, { extent, fill }) => Math.max(longest, extent + fill), 1), 0);
  if (most > MOST_ENUMERATED) return null;
  const table = new Map();
  for (let step = 0; step < steps; step += 1) {
    const { target_address, units, move } = stepAt(step);
    const elements = units * moves[move].unitElements;
    for (let k = 0; k < elements; k += 1) table.set(target_address + k, step);
  }
  return table;
}
