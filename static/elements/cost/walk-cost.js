import { BOUNDS, wholeNumber } from '../../state/cost/link.js';
import { layoutOf, lensOf } from '../../state/cost/lens.js';
import { exactText } from '../../words/numbers.js';
import { fewestLines, FIRST_CACHE_BYTES, STOPPED_ORDERS, stoppedText, walkLines, WITH_CACHE, WITHOUT_CACHE } from '../../words/cost.js';
import { fillBox, makeRow, makeTable, numbersTable } from '../shared/table/tables.js';
import { around, ExplorerPart, find, make, makeButton } from '../shared/part.js';

/** @import { RowCost, WalkCost } from '../../api/cost.js' */
/** @typedef {'order' | keyof typeof BOUNDS} Field */

const SIDES = /** @type {const} */ (['a', 'b']);

/** What a walk costs: its order and sizes to type, the counts, and all orders of the loops. */
customElements.define('walk-cost', class WalkCostPart extends ExplorerPart {
  /** @override */
  start() {
    for (const input of this.querySelectorAll('input')) {
      this.listen(input, 'input', () => {
        const value = valueOf(input);
        input.setAttribute('aria-invalid', String(value === null));
        if (value !== null) this.session.change({ cost: Object.freeze({ ...this.session.state.cost, [fieldOf(input)]: value }) });
      });
      this.listen(input, 'blur', () => this.#fill());
    }
    this.listen(this, 'click', (event) => {
      const order = around(event, 'button[data-order]')?.dataset.order;
      if (order !== undefined) this.session.change({ cost: Object.freeze({ ...this.session.state.cost, order }) }, 'push');
    });
    this.follow('state', () => this.#fill());
    this.follow('cost', () => this.#show());
  }

  #fill() {
    const { state } = this.session;
    for (const input of this.querySelectorAll('input')) {
      const value = state.cost[fieldOf(input)];
      if (document.activeElement !== input) input.value = value === 0 ? '' : String(value);
      input.setAttribute('aria-invalid', String(document.activeElement === input && valueOf(input) === null));
    }
  }

  #show() {
    const { walks, orders, late } = lensOf(this.session);
    this.say('.error', walks.a?.problem || walks.b?.problem || '');
    const counted = SIDES.flatMap((side) => (walks[side]?.answer ? [{ side, cost: /** @type {WalkCost} */ (walks[side]?.answer) }] : []));
    const heads = counted.length > 1 ? counted.map(({ side }) => side.toUpperCase()) : [];
    const lines = counted.map(({ cost }) => walkLines(cost));
    const rows = (lines[0] ?? []).map(([name], at) => [name, ...lines.map((each) => each[at][1])]);
    const notes = [...new Set(counted.map(({ cost }) => stoppedText(cost)))].flatMap((text) => (text ? [make('p', { class: 'hint' }, [text])] : []));
    const cached = makeButton([WITH_CACHE], () => this.session.change({ cost: Object.freeze({ ...this.session.state.cost, cache_bytes: FIRST_CACHE_BYTES }) }, 'push'));
    const seen = this.session.state.cost.cache_bytes === 0 ? [make('p', { class: 'hint' }, [WITHOUT_CACHE, ' ', cached])] : [];
    fillBox(find(this, '.counts', HTMLElement), rows.length > 0 ? [numbersTable(heads, rows), ...notes] : []);
    const compared = SIDES.flatMap((side) => (orders[side]?.answer ? [{ side, costs: /** @type {readonly RowCost[]} */ (orders[side]?.answer) }] : []));
    fillBox(find(this, '.orders', HTMLElement), [...seen, ...ordersTable(compared, (order) => layoutOf(this.session, order))]);
    this.say('.wait', late ? 'Counting' : '');
  }
});

/**
 * All orders of the loops by the lines that they fetch: those with the blocks of a layout, then the cheapest of A.
 * @param {readonly {side: 'a' | 'b', costs: readonly RowCost[]}[]} counted
 * @param {(order: string) => string} named the layout of which an order is the own one
 */
function ordersTable(counted, named) {
  if (counted.length === 0) return [];
  const byOrder = counted.map(({ costs }) => new Map(costs.map((each) => [each.order, each])));
  const least = counted.map(({ costs }) => fewestLines(costs));
  const head = ['loops', ...counted.map(({ side }) => (counted.length > 1 ? `${side.toUpperCase()}, lines` : 'lines fetched'))];
  const rows = counted[0].costs.map(({ order, own }) => {
    const button = make('button', { type: 'button', class: 'quiet', 'data-order': order, title: `Count the order ${order}` }, [own ? named(order) : order]);
    const cells = byOrder.map((orders, at) => {
      const each = orders.get(order);
      const text = each ? `${each.stopped ? '≥ ' : ''}${exactText(each.lines_fetched)}` : '–';
      const marked = each && !each.stopped && BigInt(each.lines_fetched) === least[at];
      return make('td', marked ? { class: 'best' } : {}, marked ? [make('span', { class: 'mark' }, ['least ']), text] : [text]);
    });
    return makeRow(own ? make('span', {}, [button, make('br'), 'with its blocks']) : button, cells);
  });
  const bounds = counted.some(({ costs }) => costs.some(({ stopped }) => stopped)) ? [make('p', { class: 'hint' }, [STOPPED_ORDERS])] : [];
  return [make('h2', {}, ['Which order is cheap?']), ...bounds, makeTable(head, rows, { class: 'numbers counted' })];
}

/** @param {HTMLInputElement} input @returns {Field} */
function fieldOf(input) {
  return /** @type {Field} */ (input.dataset.cost);
}

/** @param {HTMLInputElement} input @returns {string | number | null} null for a number out of bounds */
function valueOf(input) {
  const field = fieldOf(input);
  const text = input.value.trim();
  if (field === 'order') return text;
  if (text === '' && field === 'cache_bytes') return 0;
  return wholeNumber(text.replace(/[\s_,\u202f]/g, ''), ...BOUNDS[field]);
}
