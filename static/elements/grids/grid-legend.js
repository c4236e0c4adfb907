import { CATEGORIES } from '../../core/palette.js';
import { resolveText } from '../../draw/cell-text.js';
import { categoriesOf, drawSign, rampTexts, signSize } from '../../draw/legend.js';
import { textFor } from '../../state/answers.js';
import { edgeText, unitText } from '../../words/cost.js';
import { rowTexts, spaceText } from '../../words/grids/legend.js';
import { DRAWN } from '../shared/drawn.js';
import { createFrame, fixCanvas, watchSize } from '../shared/frame.js';
import { paintersOf } from '../shared/painters.js';
import { ExplorerPart, find, make } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */
/** @import { CellText, Painter, Sign } from '../../draw/types.js' */
/** @import { Tensor } from '../../core/types.js' */
/** @import { Drawn } from '../shared/drawn.js' */
/** @typedef {{sign: Sign | 'colour' | null, text: string}} Entry */

/** In the order of the line; the frame under the pointer comes and goes, so it is the last. @type {readonly [Sign, string][]} */
const SIGNS = Object.freeze([
  ['padding', 'padding'],
  ['gap', 'gap'],
  ['shared', 'shared by several'],
  ['kept', 'same in A and B'],
  ['undetermined', 'not decided'],
  ['line', 'cache line, 64 B'],
  ['faded', 'outside the slice'],
  ['unviewed', 'not in the view'],
  ['numbered', 'place in the slice'],
  ['jump', 'no single stride'],
  ['edge', 'another begins'],
  ['lane', 'lane of the warp'],
  ['trail', 'the last 32 steps'],
  ['leap', 'a jump'],
  ['selected', 'chosen'],
  ['beyond', 'towards the chosen'],
  ['related', 'same address'],
  ['hovered', 'under the pointer'],
]);

/** Explains what the grids show at the moment, and only that. */
customElements.define('grid-legend', class GridLegend extends ExplorerPart {
  /** By what drew it: with two memories the tensor may be hidden. @type {Map<Element, Drawn>} */
  #drawn = new Map();
  #shown = '';
  #reach = () => {};

  /** @override */
  start() {
    const frame = createFrame(() => this.#show(), this.signal, { apart: true });
    const list = find(this, 'ul', HTMLUListElement);
    const grids = /** @type {HTMLElement} */ (this.parentElement);
    // A line that is too long scrolls, by the keyboard, too.
    this.#reach = createFrame(() => {
      if (list.scrollWidth > list.clientWidth) list.tabIndex = 0;
      else list.removeAttribute('tabindex');
    }, this.signal, { apart: true });
    watchSize([list], this.#reach, this.signal);
    watchSize([...grids.querySelectorAll('logical-view')], frame, this.signal);
    this.listen(grids, DRAWN, ({ detail, target }) => {
      this.#drawn.set(/** @type {Element} */ (target), detail);
      frame();
    });
    this.follow(['answer', 'theme', 'values', 'display', 'slice'], frame);
  }

  #show() {
    // Until the first answer, its room stays as the server has left it.
    if (!this.session.answers.a) return;
    // A view is coloured as the memory that it shares.
    const painter = paintersOf(this.session, 'a')?.memory;
    const entries = painter && painter.tensor.elements > 0 ? this.#entries(painter) : [];
    this.hidden = entries.length === 0;
    if (!painter) return;
    const { theme, plan, unit } = painter;
    const key = JSON.stringify([entries, categoriesOf(painter), theme, plan.scale, plan.range, unit?.name, devicePixelRatio]);
    if (key === this.#shown) return;
    this.#shown = key;
    const list = find(this, 'ul', HTMLUListElement);
    list.replaceChildren(...entries.map((entry) => item(painter, entry)));
    this.#reach();
  }

  /**
   * @param {Painter} painter
   * @returns {Entry[]}
   */
  #entries(painter) {
    const { answers, state } = this.session;
    const shown = [...this.#drawn].filter(([element]) => element.getClientRects().length > 0).map(([, drawn]) => drawn);
    const present = shown.flatMap((drawn) => {
      const tensor = answers[drawn.grid === 'b' ? 'b' : 'a']?.memory.tensor;
      return tensor ? [{ ...drawn, tensor }] : [];
    });
    const signs = new Set(present.flatMap((drawn) => [...drawn.signs]));
    /** @type {Entry[]} */
    const entries = [{ sign: 'colour', text: colourText(painter, this.session.valuesInMemory) }];
    if (signs.has('text')) entries.push({ sign: null, text: textText(this.session, painter.tensor) });
    if (state.rowLength === 'auto') entries.push(...rowTexts(present).map((text) => ({ sign: null, text })));
    if (signs.has('mixed')) entries.push({ sign: null, text: 'a pixel is the mean of its elements' });
    const space = spaceText(present);
    if (space) entries.push({ sign: null, text: space });
    /** @param {Sign} sign @param {string} text */
    const said = (sign, text) => (sign === 'edge' && painter.unit ? edgeText(painter.unit) : text);
    return [...entries, ...SIGNS.flatMap(([sign, text]) => (signs.has(sign) ? [{ sign, text: said(sign, text) }] : []))];
  }
});

/**
 * @param {Painter} painter
 * @param {import('../../core/types.js').Values | null} values
 * @returns {string}
 */
function colourText(painter, values) {
  const { plan, tensor, unit } = painter;
  if (unit) return unitText(unit, CATEGORIES);
  const { scale, dim, light } = plan;
  const name = dim < 0 ? '' : tensor.dims[dim].toLowerCase();
  if (scale === 'picture') return `red, green, blue by ${name}`;
  const ends = rampTexts(plan);
  const from = ends.length > 1 ? `, ${ends[0]} to ${ends[ends.length - 1]}` : '';
  if (scale === 'grey' || plan.shades !== null) return `by ${values?.parts ? 'absolute value' : 'value'}${from}`;
  if (scale === 'viridis') return `by ${dim < 0 ? 'index' : name}${from}`;
  const along = tensor.dims.filter((_, at) => light[at] > 0 && tensor.shape[at] > 1).map((one) => one.toLowerCase());
  return [
    `by ${name}`,
    ...(categoriesOf(painter) < Math.min(CATEGORIES, tensor.shape[dim]) ? ['all the same'] : []),
    ...(tensor.shape[dim] > CATEGORIES ? [`again after ${CATEGORIES}`] : []),
    ...(along.length > 0 ? [`darker along ${along.join(', ')}`] : []),
  ].join(', ');
}

/**
 * @param {Session} session
 * @param {Tensor} tensor
 */
function textText(session, tensor) {
  const text = resolveText(tensor, /** @type {CellText} */ (textFor(session)), session.valuesFor(tensor));
  const stored = tensor.storedElements() < tensor.elements;
  const counted = stored ? ', each address once' : ' count elements row by row';
  if (text === 'letter') return `letters${counted}`;
  if (text === 'linear') return `numbers${counted}`;
  return { value: 'values', address: 'addresses', coords: stored ? 'coordinates, * for any' : 'coordinates' }[text];
}

/**
 * @param {Painter} painter
 * @param {Entry} entry
 */
function item(painter, { sign, text }) {
  if (sign === null) return make('li', {}, [make('span', {}, [text])]);
  const canvas = make('canvas', { 'aria-hidden': 'true' });
  fixCanvas(canvas, signSize(painter, sign));
  const context = canvas.getContext('2d');
  if (context) drawSign(context, painter, sign, devicePixelRatio);
  return make('li', { 'data-sign': sign }, [canvas, make('span', {}, [text])]);
}
