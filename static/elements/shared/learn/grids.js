import { gapsOf } from '../../../core/grid/gaps.js';
import { lessonRow } from '../../../core/grid/row-length.js';
import { elementAt } from '../../../core/layout/same-memory.js';
import { coordsOf } from '../../../core/shape.js';
import { channelDim } from '../../../draw/colours.js';
import { createPainter } from '../../../draw/painter.js';
import { isShared, nameIn, nameOf, saidOfPlanes } from '../../../words/learn/cells.js';
import { make } from '../part.js';

/** @import { Tensor, Theme } from '../../../core/types.js' */
/** @import { Painter } from '../../../draw/types.js' */

/**
 * @typedef {object} GridOptions
 * @property {Theme} theme
 * @property {boolean} numbered whether cells show the name of their element
 * @property {readonly number[]} right addresses of the right answer
 * @property {readonly number[]} given addresses of the answer that was given
 * @property {readonly number[] | null} at the cell that is asked about
 * @property {'radio' | 'checkbox' | null} picks what a cell of the tensor is, in the form `ask`
 * @property {Tensor} [of] the tensor whose memory this one views: its cells have the numbers and colours of that one
 * @property {number | null} line elements of a cache line, where rows of memory show them
 * @property {boolean} [covered] whether memory shows its addresses alone
 */

/** Places in a row of memory on a screen, and everywhere where cache lines are counted. */
export const ROW = 16;
const SIGNS = Object.freeze({ right: '✓', given: '✗', asked: '' });

/**
 * The logical tensor: a table for each plane, whose cells may be inputs.
 * @param {Tensor} tensor
 * @param {GridOptions} options
 */
function planesOf(tensor, options) {
  const { shape, dims } = tensor;
  const [rows, columns] = [1, ...shape].slice(-2);
  const outer = shape.slice(0, -2);
  const painter = painterOf(options.of ?? tensor, options.theme);
  const names = dims.map((dim) => dim.toLowerCase());
  const [rowName, columnName] = names.slice(-2);
  const count = outer.reduce((product, size) => product * size, 1);
  const tables = Array.from({ length: count }, (_, plane) => {
    const before = coordsOf(outer, plane);
    const head = make('tr', {}, [
      make('td'),
      ...range(columns).map((w) => make('th', { scope: 'col' }, [w ? '' : make('span', {}, [`${columnName} `]), String(w)])),
    ]);
    const body = range(rows).map((h) =>
      make('tr', {}, [
        make('th', { scope: 'row' }, [h ? String(h) : `${rowName} 0`]),
        ...range(columns).map((w) => logicalCell(tensor, [...before, h, w], painter, options)),
      ]),
    );
    const caption = before.map((index, dim) => `${names[dim]} ${index}`).join(', ');
    return make('table', { class: 'plane' }, [make('caption', caption ? {} : { class: 'spoken' }, [caption || 'The tensor']), head, ...body]);
  });
  // An image has the planes of the dimension before its rows; only channels lie in blocks.
  const image = outer.at(-1) ?? 1;
  const inner = tensor.digits.at(-3)?.slice(1).at(-1)?.extent ?? 1;
  return make('div', { class: 'planes', 'data-image': String(image), 'data-block': String(inner), 'data-columns': String(columns) }, tables);
}

/**
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 * @param {Painter} painter
 * @param {GridOptions} options
 */
function logicalCell(tensor, coords, painter, options) {
  const address = tensor.addressOf(coords);
  const { of = tensor } = options;
  const element = elementAt(of, address) ?? coords;
  const text = options.numbered ? nameIn(of, element) : '';
  const name = nameOf(tensor, coords);
  const asked = options.at !== null && String(options.at) === String(coords);
  const cell = make('td', { 'data-address': String(address), 'data-at': coords.join() });
  if (options.picks) {
    const value = options.picks === 'radio' ? coords.join() : String(address);
    const input = make('input', { type: options.picks, name: 'cell', value, form: 'ask', 'aria-label': name, class: 'hidden-input' });
    cell.append(make('label', {}, [input, text || '\u00a0']));
  } else {
    cell.append(text || '\u00a0');
  }
  coloured(cell, painter, element);
  mark(cell, markOf(address, options) ?? (asked ? 'asked' : null));
  return cell;
}

/**
 * Whether the numbers of a tensor's elements may be seen before the answer. In row-major order they are the addresses, which
 * is no secret where a memory beside it shows them; of elements that share a place only one has a number.
 * @param {Tensor} tensor
 * @param {import('../../../api/learn.js').Lesson['shows']} shows of all tensors of the question
 * @param {number} at which of them it is
 */
export function isNumbered(tensor, shows, at) {
  if (shows[at] !== 'tensor' || shows.includes('memory')) return true;
  return !isShared(tensor) && range(tensor.elements).some((each) => tensor.addressOf(tensor.coordsOf(each)) !== each);
}

/**
 * A grid, after what its numbers and rows are.
 * @param {'tensor' | 'memory'} grid
 * @param {Tensor} tensor
 * @param {GridOptions} options
 * @param {number} most places of a row of memory
 */
export function gridOf(grid, tensor, options, most) {
  const said = grid === 'tensor' ? saidOfPlanes(tensor, options) : saidOfMemory(tensor, options);
  return [make('p', { class: 'numbering' }, [said]), grid === 'tensor' ? planesOf(tensor, options) : memoryOf(tensor, options, most)];
}

/** @param {Tensor} tensor @param {GridOptions} options */
function saidOfMemory(tensor, { line, covered }) {
  if (covered) return 'filled in after your answer';
  if (!line) return `address above, ${isShared(tensor) ? 'letter' : 'element'} below`;
  if (line > ROW) return 'two rows: one cache line';
  return line < ROW ? 'each row: two cache lines' : 'each row: one cache line';
}

/**
 * Memory from address 0 on, wrapped at a number of places that suits the layout.
 * @param {Tensor} tensor
 * @param {GridOptions} options
 * @param {number} most places of a row
 */
function memoryOf(tensor, options, most) {
  const painter = painterOf(tensor, options.theme);
  const { line } = options;
  const length = line ? ROW : lessonRow(tensor, most);
  const gaps = line ? { columns: [{ cells: line }], rows: [] } : gapsOf(tensor, channelDim(tensor), length);
  const rows = range(Math.ceil(tensor.bufferElements / length)).map((row) => {
    const first = row * length;
    const end = Math.min(first + length, tensor.bufferElements);
    const cells = range(end - first).map((step) => {
      const cell = memoryCell(tensor, first + step, painter, options);
      cell.classList.toggle('apart', endsOne(gaps.columns, step));
      return cell;
    });
    // Each cell has its address above it, so that rows need no names.
    return make('tr', endsOne(gaps.rows, row) ? { class: 'apart' } : {}, cells);
  });
  const table = make('table', { class: 'memory' }, [make('caption', { class: 'spoken' }, ['Memory, by address']), ...rows]);
  table.style.setProperty('--places', String(length));
  return table;
}

/**
 * @param {Tensor} tensor
 * @param {number} address
 * @param {Painter} painter
 * @param {GridOptions} options
 */
function memoryCell(tensor, address, painter, options) {
  const { kind } = tensor.ownerOf(address);
  const element = elementAt(tensor, address);
  const cell = make('td', { 'data-address': String(address), 'data-kind': kind }, [make('small', {}, [String(address)])]);
  if (options.covered) {
    cell.removeAttribute('data-kind');
  } else if (element) {
    cell.append(make('span', {}, [nameIn(tensor, element)]));
    coloured(cell, painter, element);
  } else {
    cell.append(make('span', { class: 'spoken' }, [kind]));
  }
  // Before the answer memory does not say where the cell that is asked about lies.
  const asked = options.at && options.right.length > 0 && tensor.addressOf(options.at) === address;
  mark(cell, markOf(address, options) ?? (asked ? 'asked' : null));
  return cell;
}

/**
 * @param {number} address
 * @param {GridOptions} options
 * @returns {keyof typeof SIGNS | null}
 */
function markOf(address, { right, given }) {
  if (right.includes(address)) return 'right';
  return given.includes(address) ? 'given' : null;
}

/**
 * @param {HTMLElement} cell
 * @param {keyof typeof SIGNS | null} as
 */
export function mark(cell, as) {
  if (!as) return;
  cell.classList.add(as);
  if (SIGNS[as]) cell.append(make('i', { 'aria-label': as === 'right' ? 'the answer' : 'your answer' }, [SIGNS[as]]));
}

/**
 * @param {HTMLElement} cell
 * @param {Painter} painter
 * @param {readonly number[]} coords
 */
function coloured(cell, painter, coords) {
  const { fill, ink } = painter.cell(coords);
  cell.style.backgroundColor = fill;
  cell.style.color = ink;
}

/** @param {Tensor} tensor @param {Theme} theme */
function painterOf(tensor, theme) {
  return createPainter({ tensor, theme, colour: 'channel', values: null, slice: null });
}

/**
 * Whether a place is the last before a gap.
 * @param {readonly {cells: number}[]} gaps
 * @param {number} at
 */
function endsOne(gaps, at) {
  return gaps.some(({ cells }) => (at + 1) % cells === 0);
}

/** @param {number} count */
function range(count) {
  return Array.from({ length: count }, (_, at) => at);
}
