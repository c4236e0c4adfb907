/** @import { Session } from '../../state/session.js' */
/** @import { NetworkSession } from '../../state/network/session.js' */
/** @import { ReorderSession } from '../../state/reorder/session.js' */
/** @import { LearnSession } from '../../state/learn/session.js' */
/** @import { RunSession } from '../../state/run/session.js' */

/** @typedef {HTMLElementEventMap & WindowEventMap & DocumentEventMap & {step: CustomEvent, drawn: CustomEvent, grips: Event, 'memory-drawn': Event}} PageEvents the platform's events, and our own */

/**
 * What the listeners of a session may be told of.
 * @template S
 * @typedef {S extends {on: (topics: infer T, listener: () => void, signal: AbortSignal) => void} ? T : never} TopicsOf
 */

/**
 * Base class of the elements that use a page's session. Their listeners end when they leave the document.
 * @template S
 */
export class Part extends HTMLElement {
  #stop = new AbortController();
  #asked = new AbortController();
  /** The session of the page, from `join` on. */
  session = /** @type {S} */ (/** @type {unknown} */ (null));

  /** Ends every listener. */
  get signal() {
    return this.#stop.signal;
  }

  /**
   * Called by the page's root, and again after the element was moved in the document.
   * @param {S} session
   */
  join(session) {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.session = session;
    this.start();
  }

  start() {
    throw new Error(`${this.localName} does not start`);
  }

  connectedCallback() {
    if (this.session && this.signal.aborted) this.join(this.session);
  }

  disconnectedCallback() {
    this.#stop.abort();
    this.#asked.abort();
  }

  /** The page's own element, whose classes say what it shows. */
  get page() {
    return /** @type {HTMLElement} */ (this.closest('.page'));
  }

  /** A signal for the next question, which gives up the one before. */
  ask() {
    this.#asked.abort();
    this.#asked = new AbortController();
    return this.#asked.signal;
  }

  /**
   * Calls back whenever the session tells of one of the topics.
   * @param {TopicsOf<S>} topics
   * @param {() => void} act
   */
  when(topics, act) {
    /** @type {{on: (topics: TopicsOf<S>, act: () => void, signal: AbortSignal) => void}} */ (this.session).on(topics, act, this.signal);
  }

  /**
   * Calls back whenever the session tells of one of the topics, and now.
   * @param {TopicsOf<S>} topics
   * @param {() => void} show
   */
  follow(topics, show) {
    this.when(topics, show);
    show();
  }

  /**
   * @template {keyof PageEvents} K
   * @param {EventTarget} target
   * @param {K} type
   * @param {(event: PageEvents[K]) => unknown} act
   */
  listen(target, type, act) {
    target.addEventListener(type, /** @type {EventListener} */ (act), { signal: this.signal });
  }

  /** @returns {'a' | 'b'} the layout that the part is about, by its attribute */
  get side() {
    return this.getAttribute('side') === 'b' ? 'b' : 'a';
  }

  /**
   * Writes a text, unless it stands there: a live region then says it once.
   * @param {string} selector of an element of this part
   * @param {string} text
   */
  say(selector, text) {
    write(find(this, selector, HTMLElement), text);
  }

  /**
   * Listens to presses on a button of this part.
   * @param {string} selector
   * @param {() => unknown} act
   */
  press(selector, act) {
    this.listen(find(this, selector, HTMLButtonElement), 'click', act);
  }
}

/** A part of the explorer. @extends {Part<Session>} */
export class ExplorerPart extends Part {}

/** A part of the page of networks. @extends {Part<NetworkSession>} */
export class NetworkPart extends Part {}

/** A part of the page of reorders. @extends {Part<ReorderSession>} */
export class ReorderPart extends Part {}

/** A part of the page of lessons. @extends {Part<LearnSession>} */
export class LearnPart extends Part {}

/** A part of the page of runs. @extends {Part<RunSession>} */
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

/**
 * Creates a button.
 * @param {(Node | string)[]} children
 * @param {() => unknown} press
 * @param {Record<string, string>} [attributes]
 */
export function makeButton(children, press, attributes = {}) {
  const button = make('button', { type: 'button', ...attributes }, children);
  button.addEventListener('click', press);
  return button;
}

/**
 * Writes a text, unless it stands there.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The element around what an event met.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function around({ target }, selector) {
  return target instanceof Element ? target.closest(selector) : null;
}

/** Goes to a field and selects its text, in place of what the event does by itself. @param {Event} event @param {HTMLInputElement} input */
export function selectAll(event, input) {
  event.preventDefault();
  input.focus();
  input.select();
}

/**
 * Tells which option of a listbox is the active one of the field that has the focus.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 * @param {number} at none below 0
 */
export function tellActive(input, list, at) {
  const active = list.children[at];
  for (const one of list.children) one.setAttribute('aria-selected', String(one === active));
  if (active) input.setAttribute('aria-activedescendant', active.id);
  else input.removeAttribute('aria-activedescendant');
  active?.scrollIntoView({ block: 'nearest' });
}

/**
 * Opens what an element is folded in.
 * @param {Element} element
 */
export function unfold(element) {
  for (let fold = element.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true;
  // On a small screen some fields are shown with the fold beside them.
  if (!element.checkVisibility()) element.closest('form')?.querySelector('details.more')?.setAttribute('open', '');
}

/**
 * Offers choices in a select and shows the chosen one. The options are made again only where they change: an open list stays.
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly string[])[]} choices values, and their words
 * @param {string} chosen
 */
export function fillSelect(select, choices, chosen) {
  const known = [...select.options].map(({ value, text }) => [value, text]);
  if (JSON.stringify(known) !== JSON.stringify(choices)) {
    select.replaceChildren(...choices.map(([value, text]) => make('option', { value }, [text])));
  }
  if (select.value !== chosen) select.value = chosen;
}
