import { ended } from '../../words/found.js';
import { ExplorerPart } from '../shared/part.js';

/** What is read aloud when it changes, in this order. */
const WRONG = 'form .error, tensor-problem';
const SPEAKING = `${WRONG}, layout-reading, .views .count, slice-result, example-story .see, example-story .seen`;
/** Their parts are sentences. */
const APART = `${WRONG}, slice-result`;
/** Answers to one change come one after another; they are spoken together. */
const TOGETHER_MS = 150;

/**
 * The one voice of the fields: a live region that says what is new below them once the typing rests,
 * instead of every field speaking at every key.
 */
customElements.define('field-voice', class FieldVoice extends ExplorerPart {
  /** @type {Map<Element, string> | null} what was said, or was there when the page opened */
  #said = null;
  #timer = 0;

  /** @override */
  start() {
    this.when(['answer', 'problem', 'slice', 'story', 'rest'], () => {
      clearTimeout(this.#timer);
      if (this.session.resting) this.#timer = window.setTimeout(() => this.session.resting && this.#speak(), TOGETHER_MS);
    });
    this.signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  #speak() {
    const before = this.#said;
    this.#said = new Map([...document.querySelectorAll(SPEAKING)].map((part) => [part, textOf(part)]));
    // What a page opens with is read in its place; only errors are worth a word then.
    const fresh = [...this.#said].filter(([part, text]) => text !== (before ? before.get(part) ?? '' : part.matches(WRONG) ? '' : text));
    const texts = fresh.map(([, text]) => text).filter((text) => text !== '');
    if (texts.length > 0) this.textContent = texts.join(' ');
  }
});

/** @param {Element} part */
function textOf(part) {
  // The parts of an error or a result are sentences of their own; elsewhere words and buttons stand within one.
  const apart = part.matches(APART) ? [...part.childNodes] : [part];
  const texts = apart.map((node) => (node.textContent ?? '').replaceAll(/\s+/g, ' ').trim());
  return texts.filter((text) => text !== '').map(ended).join(' ');
}
