import { exactText } from '../../words/numbers.js';
import { shape } from '../../draw/network/picture.js';
import { makeRow, makeTable } from '../shared/table/tables.js';

/** @import { Jump, Breaks, Description } from '../../api/types.js' */

const BOX = { width: 38, height: 20, gap: 16, top: 24 };
const MOST_CHARACTERS = 5;
const WRONG = { class: 'wrong' };

/** Where a step needs a copy: the dimensions with the one at fault marked, and the jump in memory. */
export class ViewBreak extends HTMLElement {
  /** @type {Breaks | null} */
  #shown = null;

  /** @param {Breaks | null} breaks */
  show(breaks) {
    if (breaks === this.#shown) return;
    this.#shown = breaks;
    if (!breaks || breaks.dim === null) this.replaceChildren();
    else if (breaks.jump) this.replaceChildren(drawing(breaks.before, breaks.jump), chain(breaks.before, breaks.jump));
    else this.replaceChildren(blocks(breaks.before, breaks.dim));
  }
}

/**
 * The strides of the dimensions that would become one, and the stride that each would need.
 * @param {Description} before
 * @param {Jump} jump
 */
function chain({ dims, shape, strides }, { outer, last }) {
  const rows = [];
  for (let dim = outer; dim <= last; dim += 1) {
    const inner = dim < last && strides ? BigInt(shape[dim + 1]) * BigInt(strides[dim + 1]) : null;
    const wrong = dim === outer;
    const need = inner === null ? '' : `${exactText(shape[dim + 1])}·${exactText(strides?.[dim + 1] ?? 0)} = ${exactText(String(inner))}`;
    const cells = [exactText(shape[dim]), exactText(strides?.[dim] ?? 0), need && `${wrong ? '≠' : '='} ${need}`];
    rows.push(makeRow(dims[dim], cells, wrong ? WRONG : {}));
  }
  return makeTable(['', 'size', 'stride', 'next size · stride'], rows, {}, 'The strides of the dimensions that would become one');
}

/**
 * Sizes, blocks and strides of all dimensions.
 * @param {Description} before
 * @param {number} at the dimension at fault
 */
function blocks({ dims, shape, digits, padded_shape }, at) {
  const rows = digits.map((list, dim) => {
    const padded = padded_shape && String(padded_shape[dim]) !== String(shape[dim]) ? ` of ${exactText(padded_shape[dim])}` : '';
    const parts = list.map(({ extent, stride }) => `${exactText(extent)}:${exactText(stride)}`).join(' ');
    return makeRow([...dims][dim], [`${exactText(shape[dim])}${padded}`, parts, dim === at ? '← here' : ''], dim === at ? WRONG : {});
  });
  return makeTable(['', 'size', 'blocks:strides', ''], rows, {}, 'The dimensions and their blocks');
}

/**
 * The last two addresses of one run and the first two of the next, in reading order, with the steps between.
 * @param {Description} before
 * @param {Jump} jump
 */
function drawing({ offset, shape: sizes }, { inner, last, step, stride }) {
  const run = sizes.slice(inner, last + 1).reduce((product, size) => product * BigInt(size), 1n);
  const [start, by, next] = [offset, step, stride].map(BigInt);
  const addresses = [start + (run - 2n) * by, start + (run - 1n) * by, start + next, start + next + by];
  const width = 4 * BOX.width + 3 * BOX.gap + 2;
  const [apart, end, after] = [by, addresses[1], addresses[2]].map((each) => exactText(String(each)));
  const said = `Neighbours lie ${apart} apart, but after address ${end} comes ${after}.`;
  const image = shape('svg', { viewBox: `0 0 ${width} 48`, role: 'img', class: 'jump', 'aria-label': said });
  addresses.forEach((address, at) => {
    const left = 1 + at * (BOX.width + BOX.gap);
    image.append(
      shape('rect', { x: String(left), y: String(BOX.top), width: String(BOX.width), height: String(BOX.height) }),
      text(left + BOX.width / 2, BOX.top + 14, 'address', shortened(String(address))),
    );
    if (at === 0) return;
    const [from, to] = [left - BOX.gap - BOX.width / 2 + 5, left + BOX.width / 2 - 5];
    const wrong = at === 2;
    const distance = address - addresses[at - 1];
    const label = `${distance < 0n ? '−' : '+'}${shortened(String(distance < 0n ? -distance : distance))}`;
    image.append(
      shape('path', { d: `M${from} ${BOX.top - 2} Q${(from + to) / 2} ${BOX.top - 16} ${to} ${BOX.top - 2}`, class: wrong ? 'arc wrong' : 'arc' }),
      shape('path', { d: `M${to - 5} ${BOX.top - 7} L${to} ${BOX.top - 2} L${to + 1} ${BOX.top - 9}`, class: wrong ? 'head wrong' : 'head' }),
      text((from + to) / 2, BOX.top - 13, wrong ? 'step wrong' : 'step', wrong ? `${label} ✗` : label),
    );
  });
  return image;
}

/** @param {string} digits */
function shortened(digits) {
  return digits.length > MOST_CHARACTERS ? `…${digits.slice(1 - MOST_CHARACTERS)}` : digits;
}

/**
 * @param {number} x of the middle
 * @param {number} y
 * @param {string} kind
 * @param {string} words
 */
function text(x, y, kind, words) {
  const made = shape('text', { x: String(x), y: String(y), class: kind });
  made.textContent = words;
  return made;
}

customElements.define('view-break', ViewBreak);
