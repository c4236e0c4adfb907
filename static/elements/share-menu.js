import { find, unfold } from './shared/part.js';

const SAID_MS = 3000;

/** The menu of what one takes away: the link of the page, and buttons that open what they name in `data-opens`. */
customElements.define('share-menu', class ShareMenu extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.addEventListener('click', this.#press);
  }

  disconnectedCallback() {
    this.removeEventListener('click', this.#press);
    clearTimeout(this.#timer);
  }

  #press = (/** @type {Event} */ { target }) => {
    const button = target instanceof Element ? target.closest('[popover] button') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const opens = button.dataset.opens;
    if (opens) open(find(this, '[popover]', HTMLElement), find(document, opens, HTMLElement));
    else if (button.matches('.link')) void this.#copy();
  };

  async #copy() {
    const said = find(this, '.said', HTMLElement);
    try {
      await navigator.clipboard.writeText(lasting(location.href));
      said.textContent = 'The link is copied.';
    } catch {
      // Without HTTPS, or without permission, there is no clipboard.
      said.textContent = 'No clipboard here: the link is in the address bar.';
    }
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => (said.textContent = ''), SAID_MS);
  }
});

/**
 * A link that says its version, so that it opens the same when links have changed.
 * @param {string} href
 */
function lasting(href) {
  const url = new URL(href);
  if (url.search && !url.searchParams.has('v')) url.search = `?v=1&${url.search.slice(1)}`;
  return url.href;
}

/**
 * @param {HTMLElement} menu
 * @param {HTMLElement} target is pressed and gets the focus
 */
function open(menu, target) {
  menu.hidePopover();
  unfold(target);
  target.click();
  target.focus();
}
