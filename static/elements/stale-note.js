import { shownText } from '../words/titles.js';
import { ExplorerPart, write } from './shared/part.js';

/** @import { Side } from '../state/types.js' */

/**
 * Says what its place still shows, where that is not what stands in the fields, and marks the place as
 * stale. The place is named by `place`; its side by `side`, or it is the side whose facts are shown.
 */
customElements.define('stale-note', class StaleNote extends ExplorerPart {
  /** @override */
  start() {
    this.follow(['answer', 'problem', 'state'], () => {
      const { session } = this;
      const side = /** @type {Side} */ (this.getAttribute('side') ?? session.side);
      const answer = session.answers[side];
      const stale = session.stale[side] && answer !== null;
      const away = session.problems[side].some(({ field }) => field === 'other');
      this.title = stale ? `still shows ${shownText(answer)}${away ? ': the server does not answer' : ''}` : '';
      write(this, this.title);
      this.closest('.grid, .facts')?.classList.toggle('stale', stale);
    });
  }
});
