import { memoryExtent } from '../../core/grid/memory.js';
import { narrowColumns, rowLengthOf, sharedRowLength } from '../../core/grid/row-length.js';
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
 * Addresses in a row of a memory: in step, both have the same.
 * @param {Session} session
 * @param {Side} side
 * @returns {number}
 */
export function rowLengthFor({ answers, state, inStep }, side) {
  const tensor = answers[side]?.memory.tensor;
  const [a, b] = [answers.a?.memory.tensor, answers.b?.memory.tensor];
  const most = isNarrow() ? narrowColumns(innerWidth, tensor?.bufferElements ?? 1) : Infinity;
  if (inStep && answers.a && a && b) return sharedRowLength(a, b, state.rowLength, answers.a.itemsize_bits, most);
  return tensor ? rowLengthOf(tensor, state.rowLength, answers[side]?.itemsize_bits ?? 0, most) : 1;
}

/**
 * The grid of a memory. In step, both have the size of the larger one, so that the same place in both
 * windows is the same address.
 * @param {Session} session
 * @param {Side} side
 * @returns {GridSize | null} null where there is nothing to draw
 */
export function memorySize(session, side) {
  const { answers, inStep } = session;
  if (!answers[side]?.memory.tensor) return null;
  const row = rowLengthFor(session, side);
  const sides = inStep ? [answers.a, answers.b] : [answers[side]];
  const sizes = sides.flatMap((answer) =>
    answer?.memory.tensor ? [{ most_wide: MOST_WIDE, ...memoryExtent(answer.memory.tensor, row), ...memoryInsets(answer.memory.tensor) }] : [],
  );
  return sizes.reduce((most, size) => ({
    ...most,
    rows: Math.max(most.rows, size.rows),
    label_left_css: Math.max(most.label_left_css, size.label_left_css),
  }));
}
