import { walkerOf } from '../../state/walker.js';
import { ExplorerPart, find } from '../shared/part.js';

/** The button in the line above the memory that shows the player of the walk, and hides it. */
export class WalkButton extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const button = find(this, 'button', HTMLButtonElement);
    const walker = walkerOf(session);
    button.addEventListener(
      'click',
      () => {
        if (session.state.walk) {
          walker.close();
        } else {
          walker.open();
          // The next space plays: on this button it would close the player again.
          find(document, 'walk-player .play', HTMLButtonElement).focus();
        }
      },
      { signal },
    );
    const fill = () => button.setAttribute('aria-expanded', String(session.state.walk !== null));
    session.on('state', fill, signal);
    fill();
  }
}

customElements.define('walk-button', WalkButton);
