/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/network/session.js').NetworkSession} NetworkSession */
/** @typedef {import('../../state/reorder/session.js').ReorderSession} ReorderSession */
/** @typedef {import('../../state/learn/session.js').LearnSession} LearnSession */
/** @typedef {import('../../state/run/session.js').RunSession} RunSession */

/**
 * Base class of the elements that use a page's session. Their listeners end when they leave the document.
 * @template S
 */
export class Part extends HTMLElement {
  /** @type {S | null} */
  #session = null;
  #stop = new AbortController();

  /**
   * Called by the page's root, and again after the element was moved in the document.
   * @param {S} session
   */
  join(session) {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#session = session;
    this.start(session, this.#stop.signal);
  }

  /**
   * @param {S} _session
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
 * A part of the explorer.
 * @extends {Part<Session>}
 */
export class ExplorerPart extends Part {}

/**
 * A part of the page of networks.
 * @extends {Part<NetworkSession>}
 */
export class NetworkPart extends Part {}

/**
 * A part of the page of reorders.
 * @extends {Part<ReorderSession>}
 */
export class ReorderPart extends Part {}

/**
 * A part of the page of lessons.
 * @extends {Part<LearnSession>}
 */
export class LearnPart extends Part {}

/**
 * A part of the page of runs.
 * @extends {Part<RunSession>}
 */
export class RunPart extends Part {}

/**
 * Finds an element that the template must contain.
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
 * Creates an element with attributes and children. Text is never read as markup.
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
