import { ExplorerPart } from './part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/types.js').Answer} Answer */

/** Base class of the elements that show facts of A or of B, whichever is chosen. */
export class FactsPart extends ExplorerPart {
  /** @type {Answer | null} */
  #shown = null;

  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    session.on(['answer', 'side'], () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ answers, side }) {
    const answer = answers[side];
    if (!answer || answer === this.#shown) return;
    this.#shown = answer;
    this.replaceChildren(...this.content(answer));
  }

  /**
   * @param {Answer} _answer
   * @returns {Node[]}
   */
  content(_answer) {
    throw new Error(`${this.localName} says nothing`);
  }
}
