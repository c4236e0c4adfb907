import { drawUnitEdges } from '../../../draw/cost/unit-painter.js';
import { drawNumbers } from '../../../draw/overlays.js';
import { drawLanes } from '../../../draw/cost/lanes.js';
import { lensOf } from '../../../state/cost/lens.js';

/** @import { Session } from '../../../state/session.js' */
/** @import { Side } from '../../../state/types.js' */
/** @import { Painter } from '../../../draw/types.js' */
/** @import { Drawing, Places } from '../marked-cells.js' */

/**
 * What is counted, over the cells of a memory: where lines, pages and sectors begin, numbers of banks, and the
 * lanes of a warp.
 * @param {Drawing} drawing
 * @param {Painter} painter
 * @param {Places} places
 */
export function countMemory({ context, viewport, session, side, signs }, painter, { addressAt, cellOf }) {
  const { unit } = painter;
  if (unit && drawUnitEdges(context, viewport, session.theme, unit, addressAt)) signs.add('edge');
  const lanes = lanesOf(session, side);
  if (lanes) {
    const first = new Map();
    for (const [lane, address] of lanes.addresses.entries()) {
      if (address !== null && !first.has(address)) first.set(address, lane);
    }
    const cells = lanes.addresses.flatMap((address) =>
      address === null ? [] : Array.from({ length: lanes.vector }, (_, at) => cellOf(address + at)),
    );
    drawLanes(context, viewport, session.theme, cells);
    // The numbers of a slice have the same places.
    if (!session.sliced) drawNumbers(context, viewport, session.theme, (cell) => first.get(addressAt(cell)) ?? null);
    if (cells.length > 0) signs.add('lane');
    return;
  }
  if (!unit || session.sliced) return;
  drawNumbers(context, viewport, session.theme, (cell) => {
    const address = addressAt(cell);
    return address !== null && (unit.banks > 0 || unit.begins(address)) ? unit.indexOf(address) : null;
  });
}

/**
 * Where the lanes of the shown warp access a side.
 * @param {Session} session
 * @param {Side} side
 * @returns {{addresses: (number | null)[], vector: number} | null} null while no warp is shown
 */
function lanesOf(session, side) {
  const { tab, cost } = session.state;
  const counted = lensOf(session).warps[side]?.answer;
  if (tab !== 'cost' || cost.what !== 'warp' || !counted) return null;
  const addresses = counted.lanes.map(({ address }) => (address === null ? null : Number(address)));
  return { addresses, vector: cost.vector };
}
