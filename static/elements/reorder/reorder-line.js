import { stepText } from '../../words/reorder.js';
import { ReorderPart } from '../shared/part.js';

const REST_MS = 350;

/** The present step in one sentence. It is spoken once, when nothing moves. */
customElements.define('reorder-line', class ReorderLine extends ReorderPart {
  #timer = 0;

  /** @override */
  start() {
    this.follow(['step', 'plan', 'play'], () => this.#show());
    this.signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  #show() {
    const { ready, moment, problem, stale, playing } = this.session;
    this.say('.error', stale && ready ? problem : '');
    clearTimeout(this.#timer);
    const { steps = 0 } = ready?.schedule ?? {};
    if (!ready || steps === 0) {
      this.say('.now', ready ? 'Nothing to copy: a size is 0.' : '');
      return;
    }
    const says = stepText(ready.schedule.stepAt(moment.step), ready.schedule, ready.tensors.b);
    this.say('.now', says);
    if (playing) return;
    this.#timer = window.setTimeout(() => this.say('.spoken', `Step ${moment.step}. ${says}`), REST_MS);
  }
});
