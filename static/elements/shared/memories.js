import { memoryExtent, sizeBeside } from '../../core/grid/memory.js';
import { narrowColumns, rowLengthOf } from '../../core/grid/row-length.js';
import { memoryInsets } from '../../draw/memory-grid.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Side } from '../../state/types.js' */
/** @import { Stage, GridSize } from './stage.js' */

/**
 * The stages of both memories, and the side in use while a cell is chosen.
 * @typedef {{a: Stage | null, b: Stage | null, used: Side}} Stages
 */

/** Where there is room, cells are up to so much wider than high. */
export const MOST_WIDE = 1.9;
const NARROW = '(max-width: 37rem)';

/** @returns {boolean} whether the window is that of a phone */
export function isNarrow() {
  return matchMedia(NARROW).matches;
}

/** @type {WeakMap<Session, Stages>} */
const known = new WeakMap();

/**
 * @param {Session} session
 * @returns {Stages}
 */
export function stagesOf(session) {
  const stages = known.get(session) ?? { a: null, b: null, used: 'a' };
  known.set(session, stages);
  return stages;
}

/**
 * Addresses in a row of a memory.
 * @param {Session} session
 * @param {Side} side
 * @returns {number}
 */
export function rowLengthFor({ answers, state }, side) {
  const tensor = answers[side]?.memory.tensor;
  const most = isNarrow() ? narrowColumns(innerWidth, tensor?.bufferElements ?? 1) : Infinity;
  return tensor ? rowLengthOf(tensor, state.rowLength, answers[side]?.itemsize_bits ?? 0, most, { short: answers.b !== null }) : 1;
}

/**
 * The address of the chosen cell in a memory, or the one that is pointed at where no element lies.
 * @param {Session} session
 * @param {Side} side
 */
export function chosenAddress({ answers, pointed, selected }, side) {
  if (pointed?.side === side && !pointed.coords) return pointed.address;
  const tensor = answers[side]?.tensor;
  return tensor && selected?.length === tensor.shape.length ? tensor.addressOf(selected) : null;
}

/**
 * The grid of a memory.
 * @param {Session} session
 * @param {Side} side
 * @returns {GridSize | null} null where there is nothing to draw
 */
export function memorySize(session, side) {
  const [a, b] = /** @type {const} */ (['a', 'b']).map((one) => {
    const tensor = session.answers[one]?.memory.tensor;
    return tensor ? { most_wide: MOST_WIDE, ...memoryExtent(tensor, rowLengthFor(session, one)), ...memoryInsets(tensor) } : null;
  });
  if (a && b && session.inStep) return side === 'a' ? sizeBeside(a, b) : sizeBeside(b, a);
  return side === 'a' ? a : b;
}
