import { itemsizeBits } from '../app/dtypes.js';
import { describeCurl } from '../app/fields.js';
import { ExplorerPart, make } from '../app/part.js';
import { exactText } from '../app/words.js';
import { CopyButton } from './copy-button.js';

/** @typedef {import('../app/session.js').Session} Session */
/** @typedef {import('../app/types.js').Answer} Answer */
/** @typedef {import('../app/types.js').Description} Description */
/** @typedef {import('../app/types.js').Side} Side */

/** Everything the API says of the layout: strides, sizes, properties, names, notations, the call. */
export class LayoutFacts extends ExplorerPart {
  /** @type {Side} */
  #side = 'a';
  /** @type {Answer | null} */
  #shown = null;
  #compared = false;

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    session.on('answer', () => this.#show(session), signal);
    this.addEventListener(
      'change',
      (event) => {
        if (!(event.target instanceof HTMLInputElement) || event.target.name !== 'facts-side') return;
        this.#side = event.target.value === 'b' ? 'b' : 'a';
        this.#show(session);
        this.querySelector('input:checked')?.dispatchEvent(new Event('focus'));
        /** @type {HTMLElement | null} */ (this.querySelector('input:checked'))?.focus();
      },
      { signal },
    );
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ answers }) {
    if (!answers.b) this.#side = 'a';
    const answer = answers[this.#side];
    const compared = answers.b !== null;
    if (!answer || (answer === this.#shown && compared === this.#compared)) return;
    this.#shown = answer;
    this.#compared = compared;
    const { description, fields } = answer;
    this.replaceChildren(
      ...(compared ? [sideChoice(this.#side)] : []),
      group('Strides', strides(description)),
      group('Size', sizes(description)),
      group('Properties', properties(description)),
      group('Names', names(description)),
      group('Notations', notations(description)),
      group('REST', rest(describeCurl(location.origin, fields))),
    );
  }
}

/**
 * @param {string} title
 * @param {Node[]} content
 */
function group(title, content) {
  return make('section', {}, [make('h2', {}, [title]), ...content]);
}

/** @param {Side} chosen */
function sideChoice(chosen) {
  const radios = ['a', 'b'].map((side) => {
    const input = make('input', { type: 'radio', name: 'facts-side', value: side });
    input.checked = side === chosen;
    return make('label', {}, [input, side.toUpperCase()]);
  });
  return make('fieldset', { class: 'sides' }, [make('legend', {}, ['Facts of']), ...radios]);
}

/** @param {Description} description */
function strides({ dims, shape, dtype, strides: elements, digits, offset }) {
  const head = make('tr', {}, ['', 'size', 'stride', 'bytes'].map((word) => make('th', { scope: 'col' }, [word])));
  head.firstElementChild?.replaceWith(make('td'));
  const rows = shape.map((size, dim) => {
    const name = make('th', { scope: 'row' }, [[...dims][dim].toLowerCase()]);
    const steps = elements ? [elements[dim]] : digits[dim].map(({ stride }) => stride);
    const own = steps.join(', ');
    const bytes = steps.map((step) => bytesText(step, dtype)).join(', ');
    return make('tr', {}, [name, ...[String(size), own, bytes].map((text) => make('td', {}, [text]))]);
  });
  const table = make('table', { class: 'numbers' }, [make('thead', {}, [head]), make('tbody', {}, rows)]);
  const parts = [shape.length > 0 ? table : make('p', {}, ['No dimensions: one element.'])];
  const blocked = digits.flatMap((list, dim) =>
    list.length > 1
      ? [`${[...dims][dim].toLowerCase()} = ${list.map(({ extent, stride }) => `${exactText(extent)} of stride ${exactText(stride)}`).join(', then ')}`]
      : [],
  );
  parts.push(...blocked.map((text) => make('p', { class: 'digits' }, [text])));
  if (Number(offset) !== 0) parts.push(make('p', { class: 'digits' }, [`from offset ${exactText(offset)}`]));
  return parts;
}

/**
 * @param {import('../app/types.js').Integer} elements
 * @param {string} dtype
 * @returns {string} whole bytes, or a dash where they are none
 */
function bytesText(elements, dtype) {
  const bits = BigInt(elements) * BigInt(itemsizeBits(dtype));
  return bits % 8n === 0n ? String(bits / 8n) : '–';
}

/** @param {Description} description */
function sizes({ dtype, buffer, physical_shape, padded_shape, shape }) {
  const lines = [
    ['elements', product(shape)],
    ['buffer', exactText(buffer.elements)],
    [`bytes, ${dtype}`, exactText(buffer.bytes)],
  ];
  if (padded_shape && String(padded_shape) !== String(shape)) lines.push(['padded to', padded_shape.join(' × ')]);
  if (physical_shape) lines.push(['in memory', physical_shape.join(' × ')]);
  const systems = Object.entries(buffer.per_system).map(([system, bytes]) => [
    system,
    bytes === null ? '–' : exactText(bytes),
  ]);
  return [pairs(lines), make('h3', {}, ['Bytes by system']), pairs(systems)];
}

/** @param {readonly import('../app/types.js').Integer[]} shape */
function product(shape) {
  return exactText(String(shape.reduce((all, size) => all * BigInt(size), 1n)));
}

/** @param {Description} description */
function properties({ properties: all }) {
  const items = Object.entries(all).map(([name, holds]) => {
    const word = holds === null ? 'unknown' : holds ? 'yes' : 'no';
    return make('li', { class: word }, [make('span', {}, [name]), make('span', { class: 'word' }, [word])]);
  });
  return [make('ul', { class: 'properties' }, items)];
}

/** @param {Description} description */
function names({ names: all }) {
  const systems = Object.entries(all).filter(([, list]) => list.length > 0);
  if (systems.length === 0) return [make('p', { class: 'hint' }, ['No named format has these digits.'])];
  // One system's reasons are enough: the others give the same ones in their own spelling.
  const ambiguous = systems.find(([, list]) => list.some(({ reason }) => reason !== null))?.[1] ?? [];
  const reasons = new Set(ambiguous.flatMap(({ reason }) => reason ?? []));
  const lines = systems.map(([system, list]) => [system, list.map(({ name }) => name).join(', ')]);
  return [pairs(lines), ...[...reasons].map((reason) => make('p', { class: 'hint' }, [reason]))];
}

/** @param {Description} description */
function notations({ notations: all }) {
  const said = Object.entries(all).filter(([, { text }]) => text !== undefined);
  const unsaid = Object.entries(all).filter(([, { text }]) => text === undefined);
  const rows = said.map(([system, { text = '' }]) => {
    const call = `${system}:${text}`;
    return make('li', {}, [make('span', { class: 'name' }, [system]), make('code', {}, [text]), CopyButton.of(call, call)]);
  });
  const parts = [make('ul', { class: 'notations' }, rows)];
  if (unsaid.length > 0) {
    const reasons = unsaid.map(([system, { reason = '' }]) => make('li', {}, [make('b', {}, [system]), ` ${reason}`]));
    parts.push(make('ul', { class: 'unsaid hint' }, reasons));
  }
  return parts;
}

/** @param {string} call */
function rest(call) {
  return [make('pre', { tabindex: '0', 'aria-label': 'The same call in a terminal' }, [call]), CopyButton.of(call, 'the REST call')];
}

/** @param {string[][]} lines */
function pairs(lines) {
  const items = lines.flatMap(([name, value]) => [make('dt', {}, [name]), make('dd', {}, [value])]);
  return make('dl', { class: 'pairs' }, items);
}

customElements.define('layout-facts', LayoutFacts);
