import { copied } from './shared/page/clipboard.js';
import { around, find, unfold } from './shared/part.js';

/** @import { Code } from '../words/facts/code.js' */

/**
 * The menu of what one takes away: the link of the page, the texts that its buttons name in `data-copy`, and what they open,
 * named in `data-opens`.
 */
export class ShareMenu extends HTMLElement {
  /** @type {(kind: string) => Code | Promise<Code> | null} the texts of this page, or why there is none */
  codeOf = () => null;

  constructor() {
    super();
    this.addEventListener('click', (event) => void this.#press(event));
    // A toggle does not bubble.
    this.addEventListener('beforetoggle', () => this.#say(''), { capture: true });
  }

  /** @param {Event} event */
  async #press(event) {
    const button = around(event, '[popover] button');
    const { opens, copy = '' } = button?.dataset ?? {};
    if (opens) this.#open(find(document, opens, HTMLElement));
    else if (button?.matches('.link')) {
      const done = await copied(lasting(location.href));
      this.#say(done ? 'The link is copied.' : 'No clipboard here: the link is in the address bar.');
    } else {
      const code = copy && (await this.codeOf(copy));
      if (code) this.#say(code.text === undefined ? (code.reason ?? '') : (await copied(code.text)) ? 'Copied.' : 'No clipboard here.');
    }
  }

  /** @param {string} text */
  #say(text) {
    find(this, '.said', HTMLElement).textContent = text;
  }

  /** @param {HTMLElement} target is pressed and gets the focus */
  #open(target) {
    find(this, '[popover]', HTMLElement).hidePopover();
    unfold(target);
    target.click();
    target.focus();
  }
}

/**
 * A link that says its version, so that it opens the same when links have changed.
 * @param {string} href
 */
function lasting(href) {
  const url = new URL(href);
  if (url.search && !url.searchParams.has('v')) url.search = `?v=1&${url.search.slice(1)}`;
  return url.href;
}

customElements.define('share-menu', ShareMenu);
