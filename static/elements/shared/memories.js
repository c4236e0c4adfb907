import { memoryExtent } from '../../core/grid/memory.js';
import { narrowColumns, rowLengthOf } from '../../core/grid/row-length.js';
import { memoryInsets } from '../../draw/memory-grid.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Tensor } from '../../core/types.js' */
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
  return tensor ? rowLengthOf(tensor, state.rowLength, answers[side]?.itemsize_bits ?? 0, most) : 1;
}

/**
 * The grid of a memory. In step, both begin at the same distance from their window's edge; where their rows have one
 * length, both have the size of the larger one, so that the same place in both windows is the same address.
 * @param {Session} session
 * @param {Side} side
 * @returns {GridSize | null} null where there is nothing to draw
 */
export function memorySize(session, side) {
  const { answers, inStep } = session;
  const other = side === 'a' ? 'b' : 'a';
  const tensor = answers[side]?.memory.tensor;
  if (!tensor) return null;
  const own = sizeOf(tensor, rowLengthFor(session, side));
  const beside = inStep && answers[other]?.memory.tensor;
  if (!beside) return own;
  const size = sizeOf(beside, rowLengthFor(session, other));
  return {
    ...own,
    rows: size.columns === own.columns ? Math.max(own.rows, size.rows) : own.rows,
    label_left_css: Math.max(own.label_left_css, size.label_left_css),
  };
}

/** @param {Tensor} tensor @param {number} row_elems */
function sizeOf(tensor, row_elems) {
  return { most_wide: MOST_WIDE, ...memoryExtent(tensor, row_elems), ...memoryInsets(tensor) };
}
