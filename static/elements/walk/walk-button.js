import { walkerOf } from '../../state/walker.js';
import { ExplorerPart, find } from '../shared/part.js';

/** The button in the line above the memory that shows the player of the walk, and hides it. */
customElements.define('walk-button', class WalkButton extends ExplorerPart {
  /** @override */
  start() {
    const button = find(this, 'button', HTMLButtonElement);
    const walker = walkerOf(this.session);
    this.listen(button, 'click', () => {
      if (this.session.state.walk) {
        walker.close();
      } else {
        walker.open();
        // The next space plays: on this button it would close the player again.
        find(document, 'walk-player .play', HTMLButtonElement).focus();
      }
    });
    this.follow('state', () => button.setAttribute('aria-expanded', String(this.session.state.walk !== null)));
  }
});
