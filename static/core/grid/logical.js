/** @import { Tensor, LogicalGrid, CellRange } from '../types.js' */
import { exactText } from '../numbers.js';
import { coordsOf, linearOf, productOf } from '../shape.js';
import { blockOf, opensOnBlock, stepOfBlocks } from './blocks.js';

const DEFAULT_ASPECT = 2.6;
/** Where only a part opens, a row is one group of planes, unless it were so many times longer or shorter than wished. */
const MOST_UNLIKE = 4;
const GAP_PER_PLANE = 0.04;
const MOST_LISTED_PLANES = 4096;
/** Even splits are looked for this far from the wished one: a long prime dimension has none. */
const MOST_SPLITS_TRIED = 4096;

/**
 * Planes per row: a divisor-like part of the last outer dimension, or several times the whole of
 * it, so that a row of planes never breaks in the middle of an image.
 * @param {number} planes at least 1
 * @param {number} group planes of the last outer dimension, at least 1
 * @param {number} wished planes per row
 * @param {number} block of the dimension before, whose blocks begin with a row; 0 for none
 * @returns {number}
 */
function chooseAcross(planes, group, wished, block) {
  if (wished >= group) {
    const groups = planes / group;
    const images = Math.max(1, Math.min(groups, Math.round(wished / group)));
    const aligned = stepOfBlocks([block], images / Math.SQRT2);
    return group * (aligned > groups ? images : aligned || images);
  }
  const lines = Math.max(1, Math.round(group / wished));
  // An even split looks settled: search a little around the wish for one without a ragged line.
  let best = 0;
  const least = Math.max(Math.ceil(lines / 2), lines - MOST_SPLITS_TRIED);
  const most = Math.min(2 * lines, lines + MOST_SPLITS_TRIED);
  for (let candidate = least; candidate <= most; candidate += 1) {
    if (group % candidate !== 0) continue;
    const away = Math.abs(Math.log(group / candidate / wished));
    if (best === 0 || away < Math.abs(Math.log(group / best / wished))) best = candidate;
    if (candidate > lines && best !== 0) break;
  }
  if (best !== 0) return group / best;
  return Math.ceil(group / lines);
}

/** A block of more planes than this, most of them padding, is not worth its empty places. */
const MOST_PLANES_OF_A_BLOCK = 16;

/**
 * The planes that a block takes, and all blocks, where the last outer dimension is blocked.
 * @param {readonly import('../types.js').PlacedDigit[]} digits of that dimension, outermost first
 * @param {number} extent
 * @returns {{block: number, slots: number}} slots: places of planes, those of padding included; block 1 for no blocks
 */
function blocksOf(digits, extent) {
  const block = digits.slice(1).reduce((all, digit) => all * digit.extent, 1);
  const slots = Math.ceil(extent / block) * block;
  const wasteful = slots > Math.max(MOST_PLANES_OF_A_BLOCK, 2 * extent);
  return block > 1 && !wasteful ? { block, slots } : { block: 1, slots: extent };
}

/** Rows of blocks that can be told apart in one window. */
const MOST_BLOCK_ROWS = 16;

/**
 * Whether blocks count, as those with padding always do. Nobody sees blocks without padding in more than some rows of
 * them, or in a narrow window: they are wrapped over its width.
 * @param {Pick<Tensor, 'shape' | 'dims' | 'digits'>} tensor
 * @param {boolean} [narrow] the window
 */
export function blocksCount({ shape, dims, digits }, narrow = false) {
  const outer = planeOrder(dims).slice(0, -2);
  const last = outer.pop();
  if (last === undefined) return true;
  const padded = productOf(digits[last].map(({ extent }) => extent)) > shape[last];
  return padded || (!narrow && productOf(outer.map((dim) => shape[dim])) <= MOST_BLOCK_ROWS);
}

/**
 * Planes per row where there are blocks: one block, a part of one or several, whichever is nearest to the wish; one
 * block wins where it is not far from it.
 * @param {number} block
 * @param {number} slots
 * @param {number} wished
 */
function chooseBlocks(block, slots, wished) {
  /** @param {number} across */
  const away = (across) => Math.abs(Math.log(across / wished)) - (across === block ? BLOCK_BONUS : 0);
  const most = Math.min(slots / block, MOST_SPLITS_TRIED);
  const several = Array.from({ length: most }, (_, at) => (at + 1) * block).filter((across) => slots % across === 0);
  const parts = Array.from({ length: Math.min(block, MOST_SPLITS_TRIED) }, (_, at) => at + 1).filter((part) => block % part === 0);
  return [...several, ...parts].reduce((best, across) => (away(across) < away(best) ? across : best), block);
}
const BLOCK_BONUS = Math.log(2.1);

/**
 * The dimensions with those of a plane last: H and W where a pixel's channels come after them, as in
 * HWC and NHWC, else the last two.
 * @param {readonly string[]} dims
 * @returns {readonly number[]}
 */
export function planeOrder(dims) {
  const all = dims.map((_, dim) => dim);
  const names = dims.map((name) => name.toUpperCase());
  const rank = names.length;
  const channelsLast = names.slice(-3).join('') === 'HWC';
  return Object.freeze(channelsLast ? [...all.slice(0, -3), rank - 1, rank - 3, rank - 2] : all);
}

/**
 * Arranges the tensor as planes, see planeOrder, in rows of planes: where the last outer dimension is blocked, a row
 * is a block, and the planes that padding takes have their places.
 *
 * Cells are counted in columns and rows of the whole picture, with its gaps and labels. Where a tensor opens on a block,
 * the arrangement follows from the layout alone, so that no plane moves when the window gets another height.
 * @param {Tensor} tensor
 * @param {number} [aspect] width / height of the wished picture
 * @param {boolean} [blocked] whether its blocks count, as they do where there is room
 * @returns {LogicalGrid}
 */
export function createLogicalGrid(tensor, aspect = DEFAULT_ASPECT, blocked = true) {
  const { shape, dims } = tensor;
  const rank = shape.length;
  const order = planeOrder(dims);
  const placeOf = order.map((_, dim) => order.indexOf(dim));
  const sizes = order.map((dim) => shape[dim]);
  const planeColumns = rank > 0 ? sizes[rank - 1] : 1;
  const planeRows = rank > 1 ? sizes[rank - 2] : 1;
  const outer = sizes.slice(0, Math.max(0, rank - 2));
  const planes = productOf(outer);
  const group = Math.max(1, outer.length > 0 ? outer[outer.length - 1] : 1);
  const single = outer.length === 0;
  const gap_columns = single ? 0 : Math.max(1, Math.round(planeColumns * GAP_PER_PLANE));
  const gap_rows = single ? 0 : Math.max(1, Math.round(planeRows * GAP_PER_PLANE));
  // A plane of size 0 takes a cell all the same: nothing here divides by 0.
  const pitchColumns = Math.max(1, planeColumns + gap_columns);
  const pitchRows = Math.max(1, planeRows + gap_rows);
  const { block, slots } = blocked && !single ? blocksOf(tensor.digits[order[rank - 3]], group) : { block: 1, slots: group };
  const before = rank > 3 ? blockOf(tensor.digits[order[rank - 4]], sizes[rank - 4]) : 0;
  const groups = Math.ceil(planes / group);
  const near = opensOnBlock(tensor);
  const wished = Math.sqrt(((near ? DEFAULT_ASPECT : aspect) * groups * slots * pitchRows) / pitchColumns);
  const regular = near && Math.max(group / wished, wished / group) <= MOST_UNLIKE;
  /** @returns {number} */
  const across = () => (block > 1 ? chooseBlocks(block, slots, wished) : chooseAcross(planes, group, wished, blocked ? 0 : before));
  const planesAcross = planes === 0 ? 1 : regular && block === 1 ? group : across();
  const linesPerGroup = Math.ceil(slots / planesAcross);
  const groupsPerLine = Math.max(1, Math.floor(planesAcross / slots));
  const lines = Math.ceil(groups / groupsPerLine) * linesPerGroup;

  /**
   * @param {number} line
   * @param {number} place
   * @returns {{index: number, member: number}} of which group, and the how many-eth of its places
   */
  function slotIn(line, place) {
    const first = Math.floor(line / linesPerGroup) * groupsPerLine;
    return linesPerGroup > 1
      ? { index: first, member: (line % linesPerGroup) * planesAcross + place }
      : { index: first + Math.floor(place / slots), member: place % slots };
  }

  /**
   * @param {number} line
   * @param {number} place
   * @returns {number} plane, or -1 where the picture has none
   */
  function planeIn(line, place) {
    if (line < 0 || line >= lines || place < 0 || place >= planesAcross) return -1;
    const { index, member } = slotIn(line, place);
    return member < group && index < groups ? index * group + member : -1;
  }

  /** @param {CellRange} range */
  function paddedIn(range) {
    /** @type {{column: number, row: number, text: string}[]} */
    const found = [];
    if (slots === group || planeRows === 0 || planeColumns === 0) return found;
    const last = Math.min(planesAcross, Math.ceil(range.endColumn / pitchColumns));
    for (let line = Math.max(0, Math.floor((range.firstRow) / pitchRows)); line < lines && line * pitchRows < range.endRow; line += 1) {
      for (let place = Math.max(0, Math.floor(range.firstColumn / pitchColumns)); place < last; place += 1) {
        const { index, member } = slotIn(line, place);
        if (member < group || member >= slots || index >= groups) continue;
        const text = `${dims[order[rank - 3]].toLowerCase()} ${exactText(member)}, padding`;
        found.push({ column: place * pitchColumns, row: line * pitchRows, text });
        if (found.length >= MOST_LISTED_PLANES) return found;
      }
    }
    return found;
  }

  /** @param {number} plane */
  function originOf(plane) {
    const index = Math.floor(plane / group);
    const member = plane % group;
    const line =
      Math.floor(index / groupsPerLine) * linesPerGroup + Math.floor(member / planesAcross);
    const place = (index % groupsPerLine) * slots + (member % planesAcross);
    return { column: place * pitchColumns, row: line * pitchRows };
  }

  /** @param {number} plane */
  function outerOf(plane) {
    return coordsOf(outer, plane);
  }

  /** @param {readonly number[]} coords */
  function cellOf(coords) {
    const placed = order.map((dim) => coords[dim]);
    const origin = originOf(linearOf(outer, placed));
    return {
      column: origin.column + (rank > 0 ? placed[rank - 1] : 0),
      row: origin.row + (rank > 1 ? placed[rank - 2] : 0),
    };
  }

  /**
   * @param {number} column
   * @param {number} row
   */
  function coordsAt(column, row) {
    const place = Math.floor(column / pitchColumns);
    const line = Math.floor((row) / pitchRows);
    const x = column - place * pitchColumns;
    const y = row - line * pitchRows;
    const plane = planeIn(line, place);
    if (plane < 0 || x >= planeColumns || y >= planeRows) return null;
    const inner = rank > 1 ? [y, x] : rank > 0 ? [x] : [];
    const placed = [...outerOf(plane), ...inner];
    return placeOf.map((place) => placed[place]);
  }

  /**
   * @param {number} column
   * @param {number} row
   */
  function nearestAt(column, row) {
    const [x, y] = [column % pitchColumns, row % pitchRows];
    return coordsAt(column - x + Math.min(x, planeColumns - 1), row - y + Math.min(y, planeRows - 1));
  }

  /** @param {number} plane */
  function labelOf(plane) {
    return outerOf(plane)
      .flatMap((coordinate, dim, all) => (dim + 1 < all.length && outer[dim] === 1 ? [] : [`${dims[order[dim]].toLowerCase()} ${exactText(coordinate)}`]))
      .join(' ');
  }

  /** @param {CellRange} range */
  function planesIn(range) {
    /** @type {number[]} */
    const found = [];
    if (planeRows === 0 || planeColumns === 0) return found;
    const firstPlace = Math.floor(range.firstColumn / pitchColumns);
    const firstLine = Math.floor((range.firstRow) / pitchRows);
    for (let line = firstLine; line * pitchRows < range.endRow; line += 1) {
      for (let place = firstPlace; place * pitchColumns < range.endColumn; place += 1) {
        const plane = planeIn(line, place);
        if (plane >= 0) found.push(plane);
        if (found.length >= MOST_LISTED_PLANES) return found;
      }
    }
    return found;
  }

  return Object.freeze({
    order,
    planeRows,
    planeColumns,
    planes,
    gap_columns,
    gap_rows,
    pitchColumns,
    pitchRows,
    planesAcross,
    slots,
    columns: Math.max(1, planesAcross * pitchColumns - gap_columns),
    rows: Math.max(1, lines * pitchRows - gap_rows),
    cellOf,
    coordsAt,
    nearestAt,
    originOf,
    outerOf,
    planeIn,
    labelOf,
    planesIn,
    paddedIn,
  });
}
