import { PlayerBar } from '../player/player-bar.js';
import { find, ReorderPart } from '../shared/part.js';

/** @typedef {import('../../state/reorder/session.js').ReorderSession} ReorderSession */

/** Connects the player with the steps of the reorder. */
export class ReorderPlayer extends ReorderPart {
  /** @override @type {ReorderPart['start']} */
  start(session, signal) {
    const bar = find(this, 'player-bar', PlayerBar);
    bar.keysIn = this.closest('main');
    bar.labels = { group: 'Player of the reorder' };
    bar.addEventListener(
      'step',
      (event) => {
        if (!(event instanceof CustomEvent)) return;
        const { step, part } = event.detail;
        session.go({ step: Number(step), part });
      },
      { signal },
    );
    bar.addEventListener('play', () => session.play(true), { signal });
    bar.addEventListener('pause', () => session.play(false), { signal });
    session.on('plan', () => this.#fill(session, bar), signal);
    session.on('step', () => this.#follow(session, bar), signal);
    this.#fill(session, bar);
  }

  /**
   * @param {ReorderSession} session
   * @param {PlayerBar} bar
   */
  #fill(session, bar) {
    const steps = BigInt(session.ready?.schedule.steps ?? 0);
    if (bar.steps !== steps) bar.pause();
    bar.steps = steps;
    this.#follow(session, bar);
  }

  /**
   * @param {ReorderSession} session
   * @param {PlayerBar} bar
   */
  #follow({ moment }, bar) {
    if (BigInt(moment.step) !== bar.step) bar.step = BigInt(moment.step);
  }
}

customElements.define('reorder-player', ReorderPlayer);
