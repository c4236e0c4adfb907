import { coordsIn, elementAt } from '../../core/layout/same-memory.js';
import { contains } from '../../core/shape.js';
import { countersOf, movedLoop } from '../../core/walk/counters.js';
import { walkerOf } from '../../state/walker.js';
import { sliceSumText } from '../../words/facts/sliced.js';
import { byteText, vacantText } from '../../words/facts/sum.js';
import { coordsText, exactText, valueText } from '../../words/numbers.js';
import { createFrame } from '../shared/frame.js';
import { sumParts } from '../shared/learn/sum-parts.js';
import { takenOf } from '../shared/marked-cells.js';
import { ExplorerPart, find, make } from '../shared/part.js';
import { gridSpeaks } from '../shared/table/grid-table.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Answer, Side } from '../../state/types.js' */
/** @import { Tensor } from '../../core/types.js' */

/**
 * The line between the grids: the address of the present cell as a sum, each value above its term.
 */
customElements.define('address-sum', class AddressSum extends ExplorerPart {
  /** The order of the walk that the longest sum is of. */
  #order = '';

  /** @override */
  start() {
    const { session } = this;
    const frame = createFrame(() => this.#show(), this.signal);
    const renew = () => {
      this.#reserve();
      frame();
    };
    // While one types, the memory comes first: another height is seldom needed then.
    const afterMemory = createFrame(renew, this.signal, { apart: true });
    this.when(['answer', 'slice', 'values'], () => (session.resting ? renew() : afterMemory()));
    this.when(['cell', 'walk'], frame);
    // Says the chosen cell, or the step of a walk once it rests; silently where a grid tells it already.
    this.when(['selected', 'walk', 'gone'], () => {
      if (walkerOf(session).playing) return;
      find(this, '.spoken', HTMLElement).setAttribute('aria-live', gridSpeaks() ? 'off' : 'polite');
      this.say('.spoken', spokenText(session));
    });
    // What was said of another layout is not left for who reads the page later.
    this.when('answer', () => find(this, '.spoken', HTMLElement).textContent !== spokenText(session) && this.say('.spoken', ''));
    this.#reserve();
    this.#show();
  }

  #show() {
    const { session } = this;
    if ((session.state.walk?.order ?? '') !== this.#order) this.#reserve();
    const sum = find(this, '.sum', HTMLElement);
    const pointed = shownCell(session);
    const coords = pointed ? pointed.coords : session.selected;
    sum.dataset.coords = coords ? coords.join(',') : '';
    sum.dataset.address = '';
    if (coords) {
      const tensor = session.answers.a?.tensor;
      if (tensor && holds(tensor, coords)) sum.dataset.address = String(tensor.addressOf(coords));
      sum.replaceChildren(...this.#lines(coords, session.pointed ? null : loopsOf(session), takenOf(session, 'a')?.fromSource(coords)));
    } else if (pointed) {
      sum.dataset.address = String(pointed.address);
      sum.replaceChildren(make('span', { class: 'line' }, [make('span', {}, [vacantIn(session, pointed)])]));
    } else {
      sum.replaceChildren(make('span', { class: 'line hint' }, [make('span', {}, ['Choose a cell to see its address as a sum.'])]));
    }
  }

  /**
   * Lays the longest sum of the layout, unseen, below the one that is read: were the height chosen by each
   * cell, the grids would move under the pointer.
   */
  #reserve() {
    const shape = this.session.answers.a?.tensor?.shape ?? [];
    this.#order = this.session.state.walk?.order ?? '';
    const [last, there] = [shape, takenOf(this.session, 'a')?.tensor.shape].map((sizes) => sizes?.map((size) => Math.max(0, size - 1)));
    find(this, '.longest', HTMLElement).replaceChildren(...this.#lines(last ?? [], loopsOf(this.session, 'last'), there));
  }

  /**
   * @param {readonly number[]} coords
   * @param {Loops | null} loops of a walk, in place of the coordinates
   * @param {number[] | null} [there] where the element is in the result of the slice
   */
  #lines(coords, loops, there) {
    return /** @type {Side[]} */ (['a', 'b']).flatMap((side) => {
      const answer = this.session.answers[side];
      const tensor = answer?.tensor;
      if (!answer || !tensor || !holds(tensor, coords)) return [];
      const address = tensor.addressOf(coords);
      const { count } = tensor.ownerOf(address);
      const value = shownValue(this.session, answer, coords);
      const beside = [
        byteText(address, answer.itemsize_bits),
        ...(count > 1 ? [`shared by ${exactText(count)}`] : []),
        ...(value ? [`value ${value}`] : []),
      ];
      const parts = [
        ...(this.session.answers.b ? [make('b', { class: 'side' }, [side.toUpperCase()]), ' '] : []),
        ...sumParts(tensor, coords),
        ...sliceParts(this.session, there),
        make('span', { class: 'at' }, [
          make('span', { class: loops?.side === side ? 'where loops' : 'where' }, loops?.side === side ? loopParts(loops) : [coordsText(tensor.dims, coords)]),
          make('span', { class: 'beside' }, [beside.join(', ')]),
        ]),
      ];
      return [make('span', { class: 'line whole' }, parts)];
    });
  }
});

/**
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 */
function holds({ shape }, coords) {
  return coords.length === shape.length && contains(shape, coords);
}

/**
 * The sum by the offset and the strides of the slice; none beside a second layout.
 * @param {Session} session
 * @param {number[] | null} [there]
 */
function sliceParts(session, there) {
  const { answers, sliced } = session;
  const tensor = takenOf(session, 'a')?.tensor;
  const sum = tensor && there && sliced && !answers.b ? sliceSumText(sliced, there, tensor.addressOf(there)) : '';
  if (!tensor || !there || !sum) return [];
  return [make('span', { class: 'at' }, [make('span', { class: 'where' }, [sum]), make('span', { class: 'beside' }, [`in the slice, ${coordsText(tensor.dims, there)}`])])];
}

/** @typedef {{side: Side, counters: readonly import('../../core/walk/counters.js').Counter[], moved: number}} Loops moved: place of the loop that moved */

/**
 * The loops of the walk.
 * @param {Session} session
 * @param {'now' | 'last'} [at] the present step, or the last one, whose numbers are the longest
 * @returns {Loops | null} null where nobody walks, and where the layout has no loops
 */
function loopsOf(session, at = 'now') {
  const walker = walkerOf(session);
  const { walk, now, side } = walker;
  if (!walk || !now) return null;
  const visit = at === 'now' ? now : walk.at(walk.steps - 1);
  const counters = countersOf(walk, visit);
  return counters.length > 0 ? { side, counters, moved: movedLoop(walk, visit) } : null;
}

/** @param {Loops} loops */
function loopParts({ counters, moved }) {
  return counters.flatMap(({ name, index }, at) => {
    const counter = `${name} ${exactText(index)}`.replaceAll(' ', '\u00a0');
    return [...(at > 0 ? [' › '] : []), at === moved ? make('b', {}, [counter]) : counter];
  });
}

/**
 * @param {Session} session
 * @returns {import('../../state/types.js').PointedCell | null} under the pointer; else where a walk has met no element
 */
function shownCell(session) {
  const { now, side } = walkerOf(session);
  const vacant = now && !now.coords ? { side, coords: null, address: now.address } : null;
  return session.pointed ?? vacant;
}

/**
 * @param {Session} session
 * @param {import('../../state/types.js').PointedCell} pointed
 */
function vacantIn(session, { side, address }) {
  const tensor = session.answers[side]?.memory.tensor;
  if (!tensor || address === null) return '';
  const left = elementAt(tensor, address);
  if (left) return `Address ${exactText(address)} is not in the view: ${coordsText(tensor.dims, left)} before the steps lies there.`;
  return vacantText(tensor, address);
}

/**
 * @param {Session} session
 * @param {Answer} answer
 * @param {readonly number[]} coords
 */
function shownValue(session, { tensor, memory }, coords) {
  const stored = memory.tensor;
  const values = stored && session.valuesFor(stored);
  const there = stored && tensor && coordsIn(stored, tensor, coords);
  return values && there ? valueText(values, stored.linearOf(stored.firstOwner(there))) : '';
}

/** @param {Session} session */
function spokenText(session) {
  const { selected, answers } = session;
  const pointed = shownCell(session);
  if (pointed && !pointed.coords) return vacantIn(session, pointed);
  const tensor = answers.a?.tensor;
  if (!answers.a || !tensor || !selected) return '';
  const known = shownValue(session, answers.a, selected);
  const stored = answers.a.memory.tensor;
  const there = stored && coordsIn(stored, tensor, selected);
  const value = known || `element ${exactText(there ? stored.storedIndexOf(there) : tensor.storedIndexOf(selected))}`;
  const b = answers.b?.tensor;
  const inB = b && holds(b, selected) ? `, in B address ${exactText(b.addressOf(selected))}` : '';
  return `${coordsText(tensor.dims, selected)}: address ${exactText(tensor.addressOf(selected))}${inB}, ${known ? 'value ' : ''}${value}`;
}
