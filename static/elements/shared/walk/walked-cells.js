import { drawWalk } from '../../../draw/walk/marks.js';
import { TRAIL, walkerOf } from '../../../state/walker.js';
import { exactText } from '../../../words/numbers.js';

/** @import { Cell, LogicalGrid } from '../../../core/types.js' */
/** @import { Drawing } from '../marked-cells.js' */
/** @import { Visit } from '../../../core/walk/walk.js' */

/**
 * The walk over the cells of the logical grid. A step to another element than the next in row-major order
 * is a jump.
 * @param {Drawing} drawing
 * @param {LogicalGrid} grid
 */
export function walkLogical(drawing, grid) {
  const tensor = drawing.session.answers.a?.tensor;
  if (!tensor) return;
  walk(drawing, {
    placeOf: ({ coords }) => (coords?.length === tensor.shape.length ? tensor.linearOf(coords) : null),
    cellAt: (_, { coords }) => grid.cellOf(coords ?? []),
    jumpText: () => '',
  });
}

/**
 * The walk over the cells of a memory. A step to another address than the next is a jump.
 * @param {Drawing} drawing
 * @param {(address: number) => Cell} cellOf
 */
export function walkMemory(drawing, cellOf) {
  const { session, side } = drawing;
  const tensor = session.answers[side]?.tensor;
  const own = walkerOf(session).side === side;
  if (!tensor) return;
  walk(drawing, {
    placeOf: ({ address, coords }) => {
      if (own) return address;
      return coords?.length === tensor.shape.length ? tensor.addressOf(coords) : null;
    },
    cellAt: cellOf,
    jumpText: (distance) => `${distance < 0 ? '−' : '+'}${exactText(Math.abs(distance))}`,
  });
}

/**
 * @param {Drawing} drawing
 * @param {{placeOf: (visit: Visit) => number | null, cellAt: (place: number, visit: Visit) => Cell, jumpText: (distance: number) => string}} grid
 *   placeOf: a number by which neighbours are one apart; null: not in this grid
 */
function walk({ context, viewport, session, signs }, { placeOf, cellAt, jumpText }) {
  const { now, trail } = walkerOf(session);
  if (!now) return;
  /** @param {Visit} visit */
  const cellOf = (visit) => {
    const place = placeOf(visit);
    return place === null ? null : cellAt(place, visit);
  };
  const [before, here] = [trail[0] ? placeOf(trail[0]) : null, placeOf(now)];
  const distance = before === null || here === null ? 1 : here - before;
  const marks = { trail: trail.map(cellOf), most: TRAIL, now: cellOf(now), jump: distance === 1 ? null : jumpText(distance) };
  drawWalk(context, viewport, session.theme, marks, signs);
}
