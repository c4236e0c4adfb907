/**
 * The cell that a key moves to: along the dimensions of a plane, or to the next plane.
 * @param {readonly number[] | null} from
 * @param {readonly number[]} shape
 * @param {readonly number[]} order the dimensions, those of a plane last
 * @param {{key: string, ctrlKey: boolean}} event
 * @returns {number[] | null} null for a key that does not move
 */
export function moved(from, shape, order, event) {
  const rank = shape.length;
  const next = from ? [...from] : shape.map(() => 0);
  const column = order[rank - 1] ?? -1;
  const row = order[rank - 2] ?? -1;
  /** @param {number} dim @param {number} step */
  const shift = (dim, step) => {
    if (from && dim >= 0) next[dim] = Math.min(Math.max(next[dim] + step, 0), shape[dim] - 1);
  };
  switch (event.key) {
    case 'ArrowLeft':
      shift(column, -1);
      return next;
    case 'ArrowRight':
      shift(column, 1);
      return next;
    case 'ArrowUp':
      shift(row, -1);
      return next;
    case 'ArrowDown':
      shift(row, 1);
      return next;
    case 'PageUp':
      return planeMoved(next, shape, order, -1);
    case 'PageDown':
      return planeMoved(next, shape, order, 1);
    case 'Home':
      return event.ctrlKey ? next.map(() => 0) : next.map((index, dim) => (dim === column ? 0 : index));
    case 'End':
      return next.map((index, dim) => (event.ctrlKey || dim === column ? shape[dim] - 1 : index));
    default:
      return null;
  }
}

/**
 * The same place in the previous or next plane. There is none before the first and after the last.
 * @param {number[]} coords
 * @param {readonly number[]} shape
 * @param {readonly number[]} order the dimensions, those of a plane last
 * @param {number} step
 */
function planeMoved(coords, shape, order, step) {
  const next = [...coords];
  for (const dim of order.slice(0, -2).reverse()) {
    next[dim] += step;
    if (next[dim] >= 0 && next[dim] < shape[dim]) return next;
    next[dim] = step > 0 ? 0 : shape[dim] - 1;
  }
  return coords;
}

/**
 * The address that a key moves to in memory.
 * @param {number} from
 * @param {number} row addresses in one
 * @param {number} addresses of the buffer
 * @param {{key: string, ctrlKey: boolean}} event
 * @returns {number | null} null for a key that does not move
 */
export function movedAddress(from, row, addresses, { key, ctrlKey }) {
  const last = addresses - 1;
  const start = from - (from % row);
  /** @type {Record<string, number>} */
  const targets = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from >= row ? from - row : from,
    ArrowDown: from + row <= last ? from + row : from,
    PageUp: from % row + Math.max(0, Math.floor(from / row) - 8) * row,
    PageDown: from + 8 * row <= last ? from + 8 * row : last - ((((last - from) % row) + row) % row),
    Home: ctrlKey ? 0 : start,
    End: ctrlKey ? last : start + row - 1,
  };
  const target = targets[key];
  return target === undefined ? null : Math.min(Math.max(target, 0), last);
}
