import { createPainter } from '../../draw/painter.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/types.js').Side} Side */
/** @typedef {import('../../draw/types.js').Painter} Painter */

/** @type {WeakMap<Session, Map<Side, {parts: unknown[], painter: Painter}>>} */
const made = new WeakMap();

/**
 * The painter of one side, cached until something that it depends on changes.
 * @param {Session} session
 * @param {Side} side
 * @returns {Painter | null} null where there is nothing to paint
 */
export function painterOf(session, side) {
  const tensor = session.answers[side]?.tensor;
  if (!tensor) return null;
  const { theme, sliced } = session;
  const { colour } = session.state;
  const values = session.valuesFor(tensor);
  const like = session.answers.a?.tensor ?? tensor;
  const parts = [tensor, theme, colour, values, sliced, like];
  const sides = made.get(session) ?? new Map();
  made.set(session, sides);
  const kept = sides.get(side);
  if (kept?.parts.every((/** @type {unknown} */ part, /** @type {number} */ at) => part === parts[at])) {
    return kept.painter;
  }
  const painter = createPainter({ tensor, theme, colour, values, slice: session.picksFor(tensor), like });
  sides.set(side, { parts, painter });
  return painter;
}
