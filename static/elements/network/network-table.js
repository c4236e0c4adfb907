import { bytesText } from '../../core/network/texts.js';
import { wayText, weightsOf } from '../../words/network.js';
import { exactText } from '../../words/numbers.js';
import { around, find, make, makeButton, NetworkPart } from '../shared/part.js';
import { makeRow, makeTable } from '../shared/table/tables.js';

/** @import { Answer } from '../../state/network/session.js' */

/** Rows that are written at once; the rest on demand. */
const ROWS = 300;
const HEADS = ['Node', 'Operator', 'Reads', 'Writes', 'Rule', 'Why', 'Lost'];

/** The network as a table, a row for each node: for everybody, and for screen readers first. */
customElements.define('network-table', class NetworkTable extends NetworkPart {
  /** @type {Answer | null} */
  #shown = null;

  /** @override */
  start() {
    const fold = this.closest('details');
    this.when('answer', () => {
      if (fold && this.session.answer?.undrawable) fold.open = true;
      this.#fill(ROWS);
    });
    this.when('state', () => this.#mark());
    fold?.addEventListener('toggle', () => this.#fill(ROWS), { signal: this.signal });
  }

  /** @param {number} most */
  #fill(most) {
    const { answer } = this.session;
    if (!answer || !this.closest('details')?.open || (this.#shown === answer && most === ROWS)) return;
    this.#shown = answer;
    const count = answer.graph.nodes.length;
    const rows = answer.found.nodes.slice(0, most).map((_, index) => rowOf(answer, index));
    const table = makeTable(HEADS, rows, {}, 'Every node, the layouts that it reads and writes, and why');
    table.addEventListener('click', (event) => {
      const at = around(event, 'button')?.dataset.node;
      if (at !== undefined) this.session.change({ at }, 'replace');
    });
    this.replaceChildren(make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The network as a table' }, [table]));
    if (count > most) {
      const showAll = () => {
        this.#fill(count);
        find(this, `tbody tr:nth-child(${most + 1}) button`, HTMLButtonElement).focus();
      };
      this.append(makeButton([`Show all ${exactText(count)} rows`], showAll, { class: 'more' }));
    }
    this.#mark();
  }

  #mark() {
    const { state } = this.session;
    for (const button of this.querySelectorAll('tbody button')) {
      const chosen = button instanceof HTMLElement && button.dataset.node === state.at;
      button.setAttribute('aria-pressed', String(chosen));
    }
  }
});

/**
 * @param {Answer} answer
 * @param {number} index
 */
function rowOf(answer, index) {
  const { graph, found, assignment, plan, difference } = answer;
  const { name, op, rule, reason } = found.nodes[index];
  const { inputs, outputs } = graph.nodes[index];
  const planned = plan?.nodes[name];
  const copies = assignment.copies.filter(({ readers }) => readers.includes(name));
  const copied = new Map(copies.map((copy) => [copy.tensor, copy]));
  const lost = assignment.lost.get(name) ?? '';
  const changed = difference.nodes.has(name) || outputs.some((each) => difference.tensors.has(each) || difference.results.has(each));
  // A short constant, such as a bias, has only one layout.
  const listed = inputs.filter((each) => each !== '' && (!(each in (graph.constants ?? {})) || (found.tensors[each]?.shape?.length ?? 0) > 2));
  const reads = listed.map((tensor) => {
    const copy = copied.get(tensor);
    return tensorOf(answer, tensor, copy ? copy.target : undefined, copy ? ` reorder, ${bytesText(copy.bytes)}` : '');
  });
  const cells = [
    op,
    make('td', {}, reads),
    make('td', {}, outputs.filter((each) => each !== '').map((tensor) => tensorOf(answer, tensor))),
    planned ? 'plan' : rule,
    make('td', { class: 'why' }, [planned ? wayText(planned, weightsOf(graph, index)) : reason]),
    make('td', { class: 'lost' }, lost ? [`✕ ${lost}`] : []),
  ];
  const kind = [changed && 'changed', lost && 'losing'].filter(Boolean).join(' ');
  const button = make('button', { type: 'button', class: 'quiet mono', 'data-node': name }, [name]);
  return makeRow(button, cells, kind ? { class: kind } : {});
}

/**
 * @param {Answer} answer
 * @param {string} name
 * @param {import('../../state/network/assignment.js').TensorLayout} [placed]
 * @param {string} [note]
 */
function tensorOf(answer, name, placed = answer.assignment.tensors.get(name), note = '') {
  const text = placed?.short ?? 'not known';
  const layout = placed?.href
    ? make('a', { href: placed.href, 'aria-label': `${name}, ${text}: its memory` }, [text])
    : text;
  return make('div', { class: 'mono' }, [`${name} `, layout, make('span', { class: 'copied' }, [note])]);
}
