import { make } from '../shared/part.js';

const SAID_MS = 1500;

/** A button that copies its text to the clipboard and says so. */
export class CopyButton extends HTMLElement {
  text = () => '';
  #timer = 0;

  /**
   * @param {string | (() => string)} text to be copied
   * @param {string} what it is, for screen readers
   * @returns {CopyButton}
   */
  static of(text, what) {
    const button = new CopyButton();
    button.text = typeof text === 'string' ? () => text : text;
    button.replaceChildren(make('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${what}` }, ['Copy']));
    return button;
  }

  constructor() {
    super();
    this.addEventListener('click', () => void this.#copy());
  }

  async #copy() {
    const button = this.firstElementChild;
    if (!button) return;
    try {
      await navigator.clipboard.writeText(this.text());
      button.textContent = 'Copied';
    } catch {
      // Without HTTPS, or without permission, there is no clipboard. The text is still beside the button.
      button.textContent = 'No clipboard';
    }
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => (button.textContent = 'Copy'), SAID_MS);
  }
}

customElements.define('copy-button', CopyButton);
