/** @typedef {import('../../state/session.js').Session} Session */

/** An element of the page that works with the session: connected and disconnected in pairs. */
export class ExplorerPart extends HTMLElement {
  /** @type {Session | null} */
  #session = null;
  #stop = new AbortController();

  /**
   * Called once by the page's root, and again after a move in the document.
   * @param {Session} session
   */
  join(session) {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#session = session;
    this.start(session, this.#stop.signal);
  }

  /**
   * @param {Session} _session
   * @param {AbortSignal} _signal ends every listener
   */
  start(_session, _signal) {
    throw new Error(`${this.localName} does not start`);
  }

  connectedCallback() {
    if (this.#session && this.#stop.signal.aborted) this.join(this.#session);
  }

  disconnectedCallback() {
    this.#stop.abort();
  }
}

/**
 * An element that the template promises.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function find(root, selector, type) {
  const element = root.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page lacks ${selector}`);
  return element;
}

/**
 * A new element with text and children; text never becomes markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, children = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
