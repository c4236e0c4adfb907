import { bytesOf } from '../../core/bytes.js';
import { explainAddress } from '../../core/layout/explain.js';
import { coordsIn, elementAt } from '../../core/layout/same-memory.js';
import { contains } from '../../core/shape.js';
import { coordsText, exactText } from '../../words/numbers.js';
import { createFrame } from '../shared/frame.js';
import { ExplorerPart, find, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/types.js').Side} Side */
/** @typedef {import('../../state/types.js').Answer} Answer */
/** @typedef {import('../../core/types.js').Tensor} Tensor */

const KIND_WORDS = {
  element: 'element',
  shared: 'shared',
  padding: 'padding: no element lies here, but the layout keeps its place',
  gap: 'a gap: no coordinate leads here',
  outside: 'outside the buffer',
  undetermined: 'not decided: the strides interleave too widely to search',
};

/** The line between the grids: the sum that gives the address of the present cell. */
export class AddressSum extends ExplorerPart {
  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const frame = createFrame(() => this.#show(session));
    signal.addEventListener('abort', () => frame.cancel());
    session.on(['cell', 'answer', 'values'], () => frame.request(), signal);
    const spoken = find(this, '.spoken', HTMLElement);
    session.on('selected', () => (spoken.textContent = spokenText(session)), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show(session) {
    const sum = find(this, '.sum', HTMLElement);
    const coords = session.pointed ? session.pointed.coords : session.selected;
    this.dataset.coords = coords ? coords.join(',') : '';
    this.dataset.address = '';
    this.classList.toggle('compared', session.answers.b !== null);
    if (coords) {
      const lines = /** @type {Side[]} */ (['a', 'b']).flatMap((side) => this.#line(session, side, coords));
      sum.replaceChildren(...lines);
      for (const line of lines) shorten(line);
    } else if (session.pointed) {
      this.dataset.address = String(session.pointed.address);
      sum.replaceChildren(make('span', { class: 'line' }, vacantParts(session)));
    } else {
      sum.replaceChildren(make('span', { class: 'line hint' }, ['Point at a cell: the sum that leads to its address stands here.']));
    }
  }

  /**
   * @param {Session} session
   * @param {Side} side
   * @param {readonly number[]} coords
   */
  #line(session, side, coords) {
    const answer = session.answers[side];
    const tensor = answer?.tensor;
    if (!answer || !tensor || !holds(tensor, coords)) return [];
    const { formula, numbers, address } = explainAddress(tensor, coords);
    if (side === 'a') this.dataset.address = String(address);
    const { count } = tensor.ownerOf(address);
    const value = valueText(session, answer, coords);
    const beside = [
      byteText(address, answer.itemsize_bits),
      ...(count > 1 ? [`shared by ${exactText(count)}`] : []),
      ...(value ? [`value ${value}`] : []),
    ];
    const parts = [
      ...(session.answers.b ? [make('b', { class: 'side' }, [side.toUpperCase()])] : []),
      make('span', { class: 'where' }, [coordsText(tensor.dims, coords)]),
      make('b', { class: 'address' }, [exactText(address)]),
      make('span', { class: 'steps' }, [
        make('span', { class: 'formula' }, [`= ${formula} `]),
        make('span', { class: 'numbers' }, [`= ${numbers}`]),
      ]),
      make('span', { class: 'beside' }, [beside.join(', ')]),
    ];
    return [make('span', { class: 'line' }, parts)];
  }
}

/**
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 */
function holds({ shape }, coords) {
  return coords.length === shape.length && contains(shape, coords);
}

/**
 * Where the line is too narrow for both, the numbers stay and the symbols are hidden. Numbers that are
 * still too long wrap.
 * @param {HTMLElement} line
 */
function shorten(line) {
  const steps = find(line, '.steps', HTMLElement);
  const overflows = () => steps.scrollWidth > steps.clientWidth;
  if (!overflows()) return;
  find(line, '.formula', HTMLElement).hidden = true;
  line.classList.toggle('long', overflows());
}

/** @param {Session} session */
function vacantParts(session) {
  const { pointed } = session;
  const answer = pointed && session.answers[pointed.side];
  const tensor = answer?.memory.tensor;
  if (!tensor || pointed?.address === null || pointed?.address === undefined) return [];
  const number = make('b', { class: 'address' }, [`address ${exactText(pointed.address)}`]);
  const left = elementAt(tensor, pointed.address);
  if (left) return [number, `not in the view: ${coordsText(tensor.dims, left)} before the steps lies here`];
  const { kind, coords } = tensor.ownerOf(pointed.address);
  const where = coords ? ` (it would be ${coordsText(tensor.dims, coords)})` : '';
  return [number, `${KIND_WORDS[kind]}${where}`];
}

/**
 * @param {number} address
 * @param {number} itemsize_bits
 */
function byteText(address, itemsize_bits) {
  const { bytes, bits } = bytesOf(address, itemsize_bits);
  const within = itemsize_bits === 4 ? 'upper half' : `bit ${bits}`;
  return `byte ${exactText(String(bytes))}${bits === 0 ? '' : `, ${within}`}`;
}

/**
 * @param {Session} session
 * @param {Answer} answer
 * @param {readonly number[]} coords
 */
function valueText(session, { tensor, memory }, coords) {
  const values = memory.tensor && session.valuesFor(memory.tensor);
  const there = memory.tensor && tensor && coordsIn(memory.tensor, tensor, coords);
  return values && there && memory.tensor ? String(values.data[memory.tensor.linearOf(there)]) : '';
}

/** @param {Session} session */
function spokenText(session) {
  const { pointed, selected, answers } = session;
  if (pointed && !pointed.coords) {
    return vacantParts(session).map((part) => (typeof part === 'string' ? part : part.textContent)).join(': ');
  }
  const tensor = answers.a?.tensor;
  if (!answers.a || !tensor || !selected) return '';
  const known = valueText(session, answers.a, selected);
  const value = known || `element ${exactText(tensor.linearOf(selected))}`;
  const b = answers.b?.tensor;
  const inB = b && holds(b, selected) ? `, in B address ${exactText(b.addressOf(selected))}` : '';
  return `${coordsText(tensor.dims, selected)}: address ${exactText(tensor.addressOf(selected))}${inB}, ${known ? 'value ' : ''}${value}`;
}

customElements.define('address-sum', AddressSum);
