import { counted, exactText } from '../../words/numbers.js';
import { counterText, moveText, orderText, stridesText } from '../../words/reorder.js';
import { make, ReorderPart, write } from '../shared/part.js';

/** @import { Ready } from '../../state/reorder/types.js' */
/** @import { Move } from '../../core/schedule/types.js' */

/** Moves shown before and after the present one. */
const BESIDE = 2;
const LETTERS = 'ijklmnopqrstuvwxyz';

/** The loops of the plan with their counters; the one that has turned last is bold. */
customElements.define('reorder-loops', class ReorderLoops extends ReorderPart {
  /** @type {Ready | null} */
  #ready = null;
  #move = -1;
  /** @type {{row: HTMLElement, counter: HTMLElement}[]} */
  #loops = [];

  /** @override */
  start() {
    this.follow(['plan', 'step'], () => this.#show());
  }

  #show() {
    const { ready, moment } = this.session;
    if (!ready || ready.schedule.steps === 0) {
      this.replaceChildren();
      this.#ready = ready;
      return;
    }
    const step = ready.schedule.stepAt(moment.step);
    if (ready !== this.#ready || step.move !== this.#move) this.#build(ready, step.move);
    const move = ready.schedule.moves[step.move];
    // The outermost loop whose index differs from that of the step before.
    const before = step.step > move.first ? ready.schedule.stepAt(step.step - 1) : null;
    const turned = before ? step.indices.findIndex((index, at) => index !== before.indices[at]) : 0;
    for (const [at, { row, counter }] of this.#loops.entries()) {
      write(counter, counterText(move, step, at));
      row.classList.toggle('turned', at === turned);
    }
  }

  /**
   * @param {Ready} ready
   * @param {number} present
   */
  #build(ready, present) {
    this.#ready = ready;
    this.#move = present;
    const { moves, copyNeeded, steps } = ready.schedule;
    const from = Math.max(0, Math.min(present - BESIDE, moves.length - 2 * BESIDE - 1));
    const shown = moves.slice(from, from + 2 * BESIDE + 1);
    const items = shown.map((move) => {
      const head = make('p', { class: 'head' }, [make('b', {}, [`Move ${move.index}`]), `: ${moveText(move)}`]);
      return make('li', move.index === present ? { class: 'present', 'aria-current': 'step' } : {}, move.index === present ? [head, this.#present(ready, move)] : [head]);
    });
    const more = moves.length - shown.length;
    this.replaceChildren(
      make('h2', {}, ['Plan ', make('span', { class: 'hint' }, [`${counted(moves.length, 'move')}, ${counted(steps, 'step')}`])]),
      ...(copyNeeded ? [] : [make('p', { class: 'hint' }, ['Every element is at its address already: no copy would be needed.'])]),
      make('ul', { class: 'moves' }, items),
      ...(more > 0 ? [make('p', { class: 'hint' }, [`${counted(more, 'more move')}.`])] : []),
      make('p', { class: 'hint order' }, [orderText(moves[present])]),
    );
  }

  /**
   * @param {Ready} ready
   * @param {Move} move
   */
  #present(ready, move) {
    const names = move.origin ? ready.tensors.a.dims.map((dim) => dim.toLowerCase()) : [...LETTERS];
    this.#loops = move.loops.map((loop, at) => {
      const counter = make('span', { class: 'counter' });
      const fill = loop.fill > 0 ? `, then ${counted(loop.fill, 'zero')}` : '';
      const run = at === move.run ? 'one run' : '';
      const detail = [run, stridesText(move, at)].filter(Boolean).join(': ') + fill;
      const row = make('li', {}, [`${'\u2007'.repeat(at)}${names[at] ?? `i${at}`} = `, counter, make('span', { class: 'hint' }, [` of ${exactText(loop.extent)}`]), make('span', { class: 'hint detail' }, [detail])]);
      return { row, counter };
    });
    if (move.addresses) {
      const counter = make('span', { class: 'counter' });
      this.#loops = [{ row: make('li', {}, ['place ', counter, ` of ${exactText(move.steps)} listed ones`]), counter }];
    }
    return make('ol', { class: 'loops mono', 'aria-label': 'Loops, outermost first' }, this.#loops.map(({ row }) => row));
  }
});
