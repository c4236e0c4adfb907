import { createPainter } from '../../../draw/painter.js';

/** @import { ReorderSession } from '../../../state/reorder/session.js' */
/** @import { Ready } from '../../../state/reorder/types.js' */
/** @import { Painter } from '../../../draw/types.js' */

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
