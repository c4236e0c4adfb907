import { MOST_OFFSETS } from '../../api/client.js';
import { memoryOrder, pickedTensor } from '../../core/layout/picked.js';
import { linearOf } from '../../core/shape.js';
import { drawJump, drawNumbers } from '../../draw/overlays.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Side } from '../../state/types.js' */
/** @import { Cell, LogicalGrid, Tensor, Viewport } from '../../core/types.js' */
/** @import { Sign } from '../../draw/types.js' */
/** @import { Picked } from '../../core/layout/picked.js' */

/**
 * A grid of the explorer, over whose cells more is drawn.
 * @typedef {{context: CanvasRenderingContext2D, viewport: Viewport, session: Session, side: Side, signs: Set<Sign>}} Drawing signs: what is to be seen
 * @typedef {{addressAt: (cell: Cell) => number | null, cellOf: (address: number) => Cell}} Places of a memory
 */

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
 * @param {Drawing} drawing
 * @param {(taken: Taken, cell: Cell) => number | null} placeAt in the result of the slice, from 0
 * @param {(coords: readonly number[]) => Cell} cellOf
 */
function mark({ context, viewport, session, side, signs }, placeAt, cellOf) {
  const taken = takenOf(session, side);
  if (taken) {
    const numbered = drawNumbers(context, viewport, session.theme, (cell) => {
      const place = placeAt(taken, cell);
      return place === null ? null : 1 + place;
    });
    if (numbered) signs.add('numbered');
  }
  const jump = jumpOf(session, side);
  if (jump && drawJump(context, viewport, session.theme, cellOf(jump[0]), cellOf(jump[1]))) signs.add('jump');
}

/**
 * What lies over the cells of the logical grid: the slice's numbers, the jump of a reshape.
 * @param {Drawing} drawing
 * @param {LogicalGrid} grid
 */
export function markLogical(drawing, grid) {
  /** @param {Taken} taken @param {Cell} cell */
  const placeAt = (taken, { column, row }) => {
    const coords = grid.coordsAt(column, row);
    const there = coords && taken.fromSource(coords);
    return there && linearOf(taken.tensor.shape, there);
  };
  mark(drawing, placeAt, grid.cellOf);
}

/**
 * The same over the cells of a memory.
 * @param {Drawing} drawing
 * @param {Places} places
 */
export function markMemory(drawing, { addressAt, cellOf }) {
  const tensor = drawing.session.answers[drawing.side]?.tensor;
  /** @param {Taken} taken @param {Cell} cell */
  const placeAt = (taken, cell) => {
    const address = addressAt(cell);
    return address === null ? null : taken.placeAt(address);
  };
  mark(drawing, placeAt, (coords) => cellOf(tensor?.addressOf(coords) ?? 0));
}
