import { MOST_OFFSETS } from '../../api/client.js';
import { memoryOrder, pickedTensor } from '../../core/layout/picked.js';
import { linearOf } from '../../core/shape.js';
import { drawJump, drawNumbers } from '../../draw/overlays.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Side } from '../../state/types.js' */
/** @import { Cell, LogicalGrid, Tensor, Viewport } from '../../core/types.js' */
/** @import { Sign } from '../../draw/types.js' */
/** @import { Picked } from '../../core/layout/picked.js' */

/** @typedef {Readonly<Picked> & {orderAt: ((address: number) => number) | null}} Taken orderAt: null where the result is too large */

/** @type {WeakMap<Tensor, {picks: readonly import('../../core/layout/picked.js').Pick[], taken: Taken}>} */
const known = new WeakMap();

/**
 * The result of the slice of one side, cached.
 * @param {Session} session
 * @param {Side} side
 * @returns {Taken | null} null without a slice, and where nothing can be drawn
 */
export function takenOf(session, side) {
  const { picks } = session;
  const tensor = session.answers[side]?.tensor;
  if (!picks || !tensor || !session.picksFor(tensor)) return null;
  const kept = known.get(tensor);
  if (kept?.picks === picks) return kept.taken;
  const picked = pickedTensor(tensor, picks);
  const { shape, elements, addressOf, coordsOf } = picked.tensor;
  const small = elements <= MOST_OFFSETS && !shape.includes(0);
  const addresses = small ? Array.from({ length: elements }, (_, at) => addressOf(coordsOf(at))) : null;
  const taken = Object.freeze({ ...picked, orderAt: addresses && memoryOrder(addresses) });
  known.set(tensor, { picks, taken });
  return taken;
}

/**
 * The two elements between which a reshape would need two strides.
 * @param {Session} session
 * @param {Side} side
 * @returns {[number[], number[]] | null}
 */
function jumpOf(session, side) {
  const answer = session.answers[side];
  const jump = answer?.chain?.breaks?.jump;
  const tensor = answer?.tensor;
  if (!jump || !tensor) return null;
  const last = tensor.shape.map((size, dim) => (dim >= jump.inner && dim <= jump.last ? size - 1 : 0));
  return [last, tensor.shape.map((_, dim) => (dim === jump.outer ? 1 : 0))];
}

/**
 * What lies over the cells of the logical grid: the slice's numbers, the jump of a reshape.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Session} session
 * @param {LogicalGrid} grid
 * @param {Set<Sign>} signs what is to be seen
 */
export function markLogical(context, viewport, session, grid, signs) {
  const taken = takenOf(session, 'a');
  if (taken) {
    const numbered = drawNumbers(context, viewport, session.theme, ({ column, row }) => {
      const coords = grid.coordsAt(column, row);
      const there = coords && taken.fromSource(coords);
      return there && 1 + linearOf(taken.tensor.shape, there);
    });
    if (numbered) signs.add('numbered');
  }
  const jump = jumpOf(session, 'a');
  if (jump && drawJump(context, viewport, session.theme, grid.cellOf(jump[0]), grid.cellOf(jump[1]))) signs.add('jump');
}

/**
 * The same over the cells of a memory.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Session} session
 * @param {Side} side
 * @param {{addressAt: (cell: Cell) => number | null, cellOf: (address: number) => Cell}} grid
 * @param {Set<Sign>} signs what is to be seen
 */
export function markMemory(context, viewport, session, side, { addressAt, cellOf }, signs) {
  const taken = takenOf(session, side);
  if (taken) {
    const numbered = drawNumbers(context, viewport, session.theme, (cell) => {
      const address = addressAt(cell);
      const place = address === null ? null : taken.placeAt(address);
      return place === null ? null : 1 + place;
    });
    if (numbered) signs.add('numbered');
  }
  const tensor = session.answers[side]?.tensor;
  const jump = jumpOf(session, side)?.map((coords) => tensor?.addressOf(coords) ?? 0);
  if (jump && drawJump(context, viewport, session.theme, cellOf(jump[0]), cellOf(jump[1]))) signs.add('jump');
}
