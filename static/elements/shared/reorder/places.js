import { createPainter } from '../../../draw/painter.js';

/** @import { ReorderSession } from '../../../state/reorder/session.js' */
/** @import { Ready } from '../../../state/reorder/types.js' */
/** @import { Painter } from '../../../draw/types.js' */
/** @import { Stage } from '../stage.js' */

/** @typedef {{canvas: HTMLCanvasElement, stage: Stage}} Place where one memory is drawn */
/** @typedef {{a: Place | null, b: Place | null}} Places */

/** A memory was drawn: what lies over both is drawn after it. */
export const MEMORY_DRAWN = 'memory-drawn';

/** @type {WeakMap<ReorderSession, Places>} */
const known = new WeakMap();

/**
 * @param {ReorderSession} session
 * @returns {Places}
 */
export function placesOf(session) {
  const places = known.get(session) ?? { a: null, b: null };
  known.set(session, places);
  return places;
}

/** @type {WeakMap<Ready, {theme: unknown, painters: {a: Painter, b: Painter}}>} */
const made = new WeakMap();

/**
 * The colours of both memories: an element has the same in both.
 * @param {ReorderSession} session
 * @returns {{a: Painter, b: Painter} | null}
 */
export function paintersOf({ ready, fields }) {
  if (!ready) return null;
  const { theme } = fields;
  const kept = made.get(ready);
  if (kept?.theme === theme) return kept.painters;
  const { a, b } = ready.tensors;
  const same = { theme, colour: 'auto', values: null, slice: null, like: a };
  const painters = { a: createPainter({ ...same, tensor: a }), b: createPainter({ ...same, tensor: b }) };
  made.set(ready, { theme, painters });
  return painters;
}
