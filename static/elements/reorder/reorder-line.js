import { stepText } from '../../words/reorder.js';
import { find, ReorderPart } from '../shared/part.js';

const REST_MS = 350;

/** The present step in one sentence. It is spoken once, when nothing moves. */
customElements.define('reorder-line', class ReorderLine extends ReorderPart {
  #timer = 0;

  /** @override */
  start() {
    this.when(['step', 'plan', 'play'], () => this.#show());
    this.signal.addEventListener('abort', () => clearTimeout(this.#timer));
    this.#show();
  }

  #show() {
    const { ready, moment, problem, stale, playing } = this.session;
    const error = find(this, '.error', HTMLElement);
    const text = stale && ready ? problem : '';
    if (error.textContent !== text) error.textContent = text;
    clearTimeout(this.#timer);
    const now = find(this, '.now', HTMLElement);
    const { steps = 0 } = ready?.schedule ?? {};
    if (!ready || steps === 0) {
      now.textContent = ready ? 'Nothing to copy: a size is 0.' : '';
      return;
    }
    const says = stepText(ready.schedule.stepAt(moment.step), ready.schedule, ready.tensors.b);
    if (now.textContent !== says) now.textContent = says;
    if (playing) return;
    const spoken = find(this, '.spoken', HTMLElement);
    this.#timer = window.setTimeout(() => {
      const told = `Step ${moment.step}. ${says}`;
      if (spoken.textContent !== told) spoken.textContent = told;
    }, REST_MS);
  }
});
