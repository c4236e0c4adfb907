import { drawWalk } from '../../../draw/walk/marks.js';
import { TRAIL, walkerOf } from '../../../state/walker.js';
import { exactText } from '../../../words/numbers.js';

/** @import { Session } from '../../../state/session.js' */
/** @import { Side } from '../../../state/types.js' */
/** @import { Sign } from '../../../draw/types.js' */
/** @import { Cell, LogicalGrid, Viewport } from '../../../core/types.js' */
/** @import { Visit } from '../../../core/walk/walk.js' */

/**
 * The walk over the cells of the logical grid. A step to another element than the next in row-major order
 * is a jump.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Session} session
 * @param {LogicalGrid} grid
 * @param {Set<Sign>} signs
 */
export function walkLogical(context, viewport, session, grid, signs) {
  const tensor = session.answers.a?.tensor;
  if (!tensor) return;
  const rank = tensor.shape.length;
  /** @param {Visit} visit */
  const coordsOf = ({ coords }) => (coords?.length === rank ? coords : null);
  walk(context, viewport, session, signs, {
    placeOf: (visit) => {
      const coords = coordsOf(visit);
      return coords && tensor.linearOf(coords);
    },
    cellAt: (_, visit) => grid.cellOf(coordsOf(visit) ?? []),
    jumpText: () => '',
  });
}

/**
 * The walk over the cells of a memory. A step to another address than the next is a jump.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Session} session
 * @param {Side} side
 * @param {(address: number) => Cell} cellOf
 * @param {Set<Sign>} signs
 */
export function walkMemory(context, viewport, session, side, cellOf, signs) {
  const tensor = session.answers[side]?.tensor;
  const own = walkerOf(session).side === side;
  if (!tensor) return;
  walk(context, viewport, session, signs, {
    placeOf: ({ address, coords }) => {
      if (own) return address;
      return coords?.length === tensor.shape.length ? tensor.addressOf(coords) : null;
    },
    cellAt: (address) => cellOf(address),
    jumpText: (distance) => `${distance < 0 ? '−' : '+'}${exactText(Math.abs(distance))}`,
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Session} session
 * @param {Set<Sign>} signs
 * @param {{placeOf: (visit: Visit) => number | null, cellAt: (place: number, visit: Visit) => Cell, jumpText: (distance: number) => string}} grid
 *   placeOf: a number by which neighbours are one apart; null: not in this grid
 */
function walk(context, viewport, session, signs, { placeOf, cellAt, jumpText }) {
  const walker = walkerOf(session);
  const { now } = walker;
  if (!now) return;
  const trail = walker.trail;
  /** @param {Visit} visit */
  const cellOf = (visit) => {
    const place = placeOf(visit);
    return place === null ? null : cellAt(place, visit);
  };
  const [before, here] = [trail[0] ? placeOf(trail[0]) : null, placeOf(now)];
  const distance = before === null || here === null ? 1 : here - before;
  drawWalk(
    context,
    viewport,
    session.theme,
    { trail: trail.map(cellOf), most: TRAIL, now: cellOf(now), jump: distance === 1 ? null : jumpText(distance) },
    signs,
  );
}
