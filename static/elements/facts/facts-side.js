import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** The choice between the facts of A and of B, while there are two. */
export class FactsSide extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    this.addEventListener(
      'change',
      () => (session.side = find(this, 'input[value=b]', HTMLInputElement).checked ? 'b' : 'a'),
      { signal },
    );
    session.on(['answer', 'side'], () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ answers, side }) {
    this.hidden = answers.b === null;
    find(this, `input[value=${side}]`, HTMLInputElement).checked = true;
  }
}

customElements.define('facts-side', FactsSide);
