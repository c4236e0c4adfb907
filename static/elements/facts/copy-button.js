import { copied } from '../shared/page/clipboard.js';
import { makeButton } from '../shared/part.js';

const SAID_MS = 1500;

/** A button that copies its text to the clipboard and says so. */
export class CopyButton extends HTMLElement {
  /**
   * @param {() => string} textOf what is to be copied
   * @param {string} what it is, for screen readers
   * @returns {CopyButton}
   */
  static of(textOf, what) {
    let timer = 0;
    const press = async () => {
      // The text is still beside the button.
      button.textContent = (await copied(textOf())) ? 'Copied' : 'No clipboard';
      clearTimeout(timer);
      timer = window.setTimeout(() => (button.textContent = 'Copy'), SAID_MS);
    };
    const button = makeButton(['Copy'], press, { class: 'quiet', 'aria-label': `Copy ${what}` });
    const around = new CopyButton();
    around.append(button);
    return around;
  }
}

customElements.define('copy-button', CopyButton);
