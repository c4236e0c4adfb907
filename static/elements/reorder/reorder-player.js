import { PlayerBar } from '../player/player-bar.js';
import { find, ReorderPart } from '../shared/part.js';

/** Connects the player with the steps of the reorder. */
customElements.define('reorder-player', class ReorderPlayer extends ReorderPart {
  /** @override */
  start() {
    const bar = find(this, 'player-bar', PlayerBar);
    bar.keysIn = this.closest('main');
    this.listen(bar, 'step', ({ detail: { step, part } }) => this.session.go({ step: Number(step), part }));
    this.listen(bar, 'play', () => this.session.play(true));
    this.listen(bar, 'pause', () => this.session.play(false));
    this.when('plan', () => this.#fill(bar));
    this.when('step', () => this.#follow(bar));
    this.#fill(bar);
  }

  /** @param {PlayerBar} bar */
  #fill(bar) {
    const steps = BigInt(this.session.ready?.schedule.steps ?? 0);
    if (bar.steps !== steps) bar.pause();
    bar.steps = steps;
    this.#follow(bar);
  }

  /** @param {PlayerBar} bar */
  #follow(bar) {
    const { moment } = this.session;
    if (BigInt(moment.step) !== bar.step) bar.step = BigInt(moment.step);
  }
});
