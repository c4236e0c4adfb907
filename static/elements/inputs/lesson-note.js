import { FIRST, presetOf } from '../../state/presets.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

const TRY_FIRST = 'Try it: type NHWC as the layout and watch the blocks become pixels.';

/** One sentence on what an example shows, and on the first one a thing to try. */
export class LessonNote extends ExplorerPart {
  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    session.on('state', () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ state }) {
    const preset = presetOf(state);
    find(this, '.see', HTMLElement).textContent = preset?.see ?? '';
    find(this, '.try', HTMLElement).textContent = preset === FIRST ? TRY_FIRST : '';
    this.hidden = preset === null;
  }
}

customElements.define('lesson-note', LessonNote);
