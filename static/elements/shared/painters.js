import { unitOf } from '../../core/cost/units.js';
import { createPainters } from '../../draw/view-painter.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Side } from '../../state/types.js' */

/** @import { Painters } from '../../draw/view-painter.js' */

/** @type {WeakMap<Session, Map<Side, {parts: unknown[], painters: Painters}>>} */
const made = new WeakMap();

/**
 * The painters of one side, cached until something that they depend on changes: of its tensor or view, and of its
 * memory, whose tensor is the one before the steps of a view.
 * @param {Session} session
 * @param {Side} side
 * @returns {Painters | null} null where there is nothing to paint
 */
export function paintersOf(session, side) {
  const answer = session.answers[side];
  const tensor = answer?.tensor;
  const memory = answer?.memory.tensor;
  if (!tensor || !memory) return null;
  const { theme, picks } = session;
  const { colour, cost } = session.state;
  const unit = unitOf(colour, { ...cost, itemsize_bits: answer.itemsize_bits });
  const values = session.valuesFor(memory);
  const like = session.answers.a?.memory.tensor ?? memory;
  const parts = [tensor, memory, theme, colour, values, picks, like, unit?.bytes, answer.itemsize_bits];
  const sides = made.get(session) ?? new Map();
  made.set(session, sides);
  const kept = sides.get(side);
  if (kept?.parts.every((/** @type {unknown} */ part, /** @type {number} */ at) => part === parts[at])) {
    return kept.painters;
  }
  const painters = createPainters({ tensor, memory, theme, colour, unit, values, slice: session.picksFor(tensor), like });
  sides.set(side, { parts, painters });
  return painters;
}
