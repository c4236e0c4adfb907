import { walkerOf } from '../../state/walker.js';
import { orderChoices } from '../../words/walk.js';
import { PlayerBar } from '../player/player-bar.js';
import { ExplorerPart, find, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/walker.js').Walker} Walker */

/** The walk through the tensor: its player, and its order. */
export class WalkPlayer extends ExplorerPart {
  #choices = '';

  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const walker = walkerOf(session);
    walker.follow(signal);
    const bar = find(this, 'player-bar', PlayerBar);
    bar.keysIn = this.closest('main');
    bar.labels = { group: 'Player of the walk', scrubber: 'Step of the walk' };
    bar.addEventListener(
      'step',
      (event) => {
        const step = event instanceof CustomEvent ? Number(event.detail.step) : walker.step;
        if (step !== walker.step) walker.go(step);
      },
      { signal },
    );
    bar.addEventListener('play', () => (walker.playing = true), { signal });
    bar.addEventListener('pause', () => (walker.playing = false), { signal });
    const order = find(this, '.order', HTMLSelectElement);
    order.addEventListener('change', () => walker.choose(order.value), { signal });
    find(this, '.close', HTMLButtonElement).addEventListener(
      'click',
      () => {
        walker.close();
        find(document, 'walk-button button', HTMLButtonElement).focus();
      },
      { signal },
    );
    const fill = () => this.#fill(session, walker, bar);
    session.on(['walk', 'state', 'answer'], fill, signal);
    fill();
  }

  /**
   * @param {Session} session
   * @param {Walker} walker
   * @param {PlayerBar} bar
   */
  #fill(session, walker, bar) {
    const { walk } = walker;
    this.hidden = session.state.walk === null;
    if (this.hidden || !walk) bar.pause();
    bar.steps = BigInt(walk?.steps ?? 0);
    bar.step = BigInt(walker.step);
    if (!this.hidden) this.#fillOrder(session);
  }

  /** @param {Session} session */
  #fillOrder({ state, answers }) {
    const select = find(this, '.order', HTMLSelectElement);
    const order = state.walk?.order ?? '';
    const choices = orderChoices(answers.a?.tensor?.dims ?? [], answers.b !== null, order);
    const known = JSON.stringify(choices);
    if (known !== this.#choices) {
      this.#choices = known;
      select.replaceChildren(...choices.map(([value, text]) => make('option', { value }, [text])));
    }
    if (select.value !== order) select.value = order;
  }
}

customElements.define('walk-player', WalkPlayer);
