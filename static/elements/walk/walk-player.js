import { walkerOf } from '../../state/walker.js';
import { orderChoices } from '../../words/walk.js';
import { PlayerBar } from '../player/player-bar.js';
import { ExplorerPart, fillSelect, find } from '../shared/part.js';

/** The walk through the tensor: its player, and its order. */
customElements.define('walk-player', class WalkPlayer extends ExplorerPart {
  /** @override */
  start() {
    const walker = walkerOf(this.session);
    walker.follow(this.signal);
    const bar = find(this, 'player-bar', PlayerBar);
    this.listen(bar, 'step', ({ detail: { step } }) => Number(step) !== walker.step && walker.go(Number(step)));
    this.listen(bar, 'play', () => (walker.playing = true));
    this.listen(bar, 'play', () => document.getElementById(`grid-${walker.side}`)?.scrollIntoView({ block: 'nearest' }));
    this.listen(bar, 'pause', () => (walker.playing = false));
    const order = find(this, '.order', HTMLSelectElement);
    this.listen(order, 'change', () => walker.choose(order.value));
    const toggle = find(document, '.walk-toggle', HTMLButtonElement);
    this.listen(toggle, 'click', () => {
      if (this.session.state.walk) return walker.close();
      walker.open();
      // The next space plays: on this button it would close the player again.
      find(this, '.play', HTMLButtonElement).focus();
    });
    this.press('.close', () => {
      walker.close();
      toggle.focus();
    });
    this.follow(['walk', 'state', 'answer'], () => {
      const { state, answers } = this.session;
      this.hidden = state.walk === null;
      toggle.setAttribute('aria-expanded', String(!this.hidden));
      if (this.hidden || !walker.walk) bar.pause();
      bar.steps = BigInt(walker.walk?.steps ?? 0);
      bar.step = BigInt(walker.step);
      const chosen = state.walk?.order ?? '';
      if (!this.hidden) fillSelect(order, orderChoices(answers.a?.tensor?.dims ?? [], answers.b !== null, chosen), chosen);
    });
  }
});
