import { bytesText, shapeText } from '../../core/network/texts.js';
import { boxOfName, toggleFold } from '../../state/network/chosen.js';
import { insideText, plannedText, wayText, weightsOf } from '../../words/network.js';
import { counted } from '../../words/numbers.js';
import { find, make, makeButton, NetworkPart } from '../shared/part.js';
import { adviceParts, copyItem, reorderParts } from '../shared/network/reorders.js';

/** @import { NetworkSession, Answer } from '../../state/network/session.js' */
/** @import { Box } from '../../core/network/types.js' */

const MOST_LISTED = 200;

/** The facts of what is chosen; where nothing is, of the whole network. */
customElements.define('network-node', class NetworkNode extends NetworkPart {
  /** The name whose facts are shown, from their beginning. */
  #at = '';

  /** @override */
  start() {
    this.when(['answer', 'state'], () => this.#show());
    this.when('marks', () => {
      for (const item of this.querySelectorAll('.advice > li')) {
        const edges = (item.getAttribute('data-edges') ?? '').split('\n');
        item.querySelector('button')?.setAttribute('aria-pressed', String(edges.every((name) => this.session.picked.has(name))));
      }
    });
  }

  #show() {
    const { session } = this;
    const { answer, state } = session;
    if (!answer) return;
    const index = answer.found.nodes.findIndex(({ name }) => name === state.at);
    const box = boxOfName(answer, state.at);
    const held = document.activeElement instanceof HTMLElement && this.contains(document.activeElement);
    const id = held ? document.activeElement?.id : '';
    const back = makeButton(['×'], () => session.change({ at: '' }, 'replace'), { class: 'quiet back', 'aria-label': 'The whole network', title: 'The whole network' });
    if (index >= 0) this.replaceChildren(back, ...nodeParts(session, answer, index), ...foldParts(session, box));
    else if (box) this.replaceChildren(back, ...boxParts(answer, box));
    else this.replaceChildren(...networkParts(session, answer));
    if (index >= 0 && answer.plan) this.#choices(state.at, weightsOf(answer.graph, index));
    if (id) document.getElementById(id)?.focus();
    if (this.#at !== state.at) this.closest('.facts')?.scrollTo(0, 0);
    this.#at = state.at;
  }

  /**
   * @param {string} node
   * @param {readonly boolean[]} weights
   */
  async #choices(node, weights) {
    const { session } = this;
    const select = make('select', { id: 'way' });
    const part = make('p', { class: 'ways' }, [make('label', { for: 'way' }, ['Run it in']), select]);
    find(this, 'h2', HTMLElement).after(part);
    select.append(make('option', { value: '' }, ['what the plan chooses']));
    try {
      const ways = await session.offers(node);
      if (!part.isConnected) return; // another node is shown
      select.append(...ways.map((way, at) => make('option', { value: String(at) }, [wayText(way, weights)])));
    } catch {
      part.remove();
      return;
    }
    const pin = session.state.pins.find((each) => each.node === node);
    select.value = pin ? String(pin.way) : '';
    select.addEventListener('change', () => {
      const others = session.state.pins.filter((each) => each.node !== node);
      session.change({ pins: select.value === '' ? others : [...others, { node, way: Number(select.value) }] });
    });
  }
});

/**
 * @param {NetworkSession} session
 * @param {Answer} answer
 * @param {number} index
 * @returns {Node[]}
 */
function nodeParts(session, answer, index) {
  const { name, op, rule, reason, lost, node_cost: own = 0 } = answer.found.nodes[index];
  const { inputs, outputs, attributes = {} } = answer.graph.nodes[index];
  const planned = answer.plan?.nodes[name];
  const copies = answer.assignment.copies.filter(({ readers }) => readers.includes(name));
  const given = Object.entries(attributes);
  return [
    make('h2', {}, [op, ' ', make('span', { class: 'mono hint' }, [name])]),
    ...(lost && !planned ? [make('p', { class: 'loss' }, [make('b', {}, [`✕ ${lost} is lost here: read, not passed on.`])])] : []),
    planned
      ? make('p', {}, [plannedText(planned, weightsOf(answer.graph, index), copies, session.state.pins.length === 0 && Boolean(answer.plan?.optimal))])
      : make('p', {}, [reason, ' ', make('span', { class: 'hint' }, [`Rule: ${rule}.`])]),
    ...(own > 0 && !planned ? [make('p', {}, [insideText(own)])] : []),
    ...section('Reads', inputs.filter((each) => each !== '').map((each) => tensorItem(answer, each))),
    ...section('Writes', outputs.filter((each) => each !== '').map((each) => tensorItem(answer, each))),
    ...section('Reorders for it', copies.map(copyItem)),
    ...adviceParts(session, answer, ({ edges, change }) => Boolean(change?.nodes.includes(name)) || [...inputs, ...outputs].some((each) => edges.includes(each))),
    ...section('Attributes', given.map(([key, value]) => make('li', { class: 'mono' }, [`${key} = ${JSON.stringify(value)}`]))),
  ];
}

/**
 * @param {Answer} answer
 * @param {Box} box
 * @returns {Node[]}
 */
function boxParts(answer, box) {
  if (box.kind === 'reorder') {
    const copy = answer.assignment.copies[box.first];
    return [
      make('h2', {}, ['Reorder ', make('span', { class: 'mono hint' }, [copy.tensor])]),
      make('p', {}, [`A copy in another layout: ${bytesText(copy.bytes)} are read and written.`]),
      ...section('Copy', [copyItem(copy)]),
      ...section('Read by', copy.readers.map((each) => make('li', { class: 'mono' }, [each]))),
    ];
  }
  return [
    make('h2', {}, ['Input ', make('span', { class: 'mono hint' }, [box.name])]),
    ...section('Tensor', [tensorItem(answer, box.name)]),
  ];
}

/**
 * @param {NetworkSession} session
 * @param {Box | null} box
 * @returns {Node[]}
 */
function foldParts(session, box) {
  if (!box?.foldable) return [];
  const folded = box.kind === 'fold';
  const button = makeButton([folded ? 'Open the first block' : 'Fold again'], () => toggleFold(session, box.name), { id: 'unfold' });
  const says = folded
    ? `Drawn inside a block of ${counted(box.last - box.first + 1, 'operator')}: ${box.detail}. `
    : 'This node begins a repeated block. ';
  return [make('p', { class: 'folding' }, [says, button])];
}

/**
 * @param {NetworkSession} session
 * @param {Answer} answer
 * @returns {Node[]}
 */
function networkParts(session, answer) {
  const { assignment, found } = answer;
  const losses = [...assignment.lost].map(([name, format]) => {
    const { op, reason } = found.nodes.find((each) => each.name === name) ?? { op: '', reason: '' };
    const button = makeButton([`✕ ${op} ${name}`], () => session.change({ at: name }, 'replace'), { class: 'quiet' });
    return make('li', {}, [button, make('p', {}, [`${format}: ${reason}`])]);
  });
  return [
    make('p', { class: 'hint' }, [`Choose a node to see why it does what it does. Choose an edge to see ${session.narrow ? 'who reads it, with links to its memory' : 'its memory in the explorer'}.`]),
    ...adviceParts(session, answer),
    ...section('Layouts lost', losses.slice(0, MOST_LISTED)),
    ...reorderParts(answer),
  ];
}

/**
 * @param {Answer} answer
 * @param {string} name
 */
function tensorItem(answer, name) {
  const { shape, dtype, view, of, reason } = answer.found.tensors[name] ?? {};
  const placed = answer.assignment.tensors.get(name);
  // The same name as in the drawing; strides have none.
  const text = (placed?.kind === 'other' ? placed.text : placed?.short) ?? 'not known';
  const layout = placed?.href ? make('a', { href: placed.href, class: 'mono', title: placed.text ?? '' }, [text]) : text;
  const notes = [view && of ? `a view of ${of}` : '', reason ?? ''].filter(Boolean).join('. ');
  return make('li', {}, [
    make('span', { class: 'mono' }, [name]),
    make('span', { class: 'mono hint' }, [` ${shapeText(shape)} ${dtype ?? ''} `]),
    layout,
    ...(notes ? [make('span', { class: 'hint' }, [` ${notes}`])] : []),
  ]);
}

/**
 * @param {string} title
 * @param {Node[]} items
 */
function section(title, items) {
  return items.length > 0 ? [make('h3', {}, [title]), make('ul', { class: 'items' }, items)] : [];
}
