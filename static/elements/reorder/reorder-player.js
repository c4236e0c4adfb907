import { PlayerBar } from '../player/player-bar.js';
import { find, ReorderPart } from '../shared/part.js';

/** Connects the player with the steps of the reorder. */
customElements.define('reorder-player', class ReorderPlayer extends ReorderPart {
  /** @override */
  start() {
    const bar = find(this, 'player-bar', PlayerBar);
    this.listen(bar, 'step', ({ detail: { step, part } }) => this.session.go({ step: Number(step), part }));
    this.listen(bar, 'play', () => this.session.play(true));
    // On a phone the player lies over what is written.
    this.listen(bar, 'play', () => find(document, 'reorder-memory[side=b] .cells', HTMLElement).scrollIntoView({ block: 'nearest' }));
    this.listen(bar, 'pause', () => this.session.play(false));
    this.follow(['plan', 'step'], () => {
      const { ready, moment } = this.session;
      const steps = BigInt(ready?.schedule.steps ?? 0);
      if (bar.steps !== steps) bar.pause();
      bar.steps = steps;
      bar.step = BigInt(moment.step);
    });
  }
});
