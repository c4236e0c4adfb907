import { ExplorerPart, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** Errors that belong to no field on the page: the server does not answer. */
export class TensorProblem extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    session.on('problem', () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ problems }) {
    const alone = [...problems.a, ...problems.b, ...problems.slice].filter(({ field }) => field === 'other');
    const messages = alone.map(({ message }) => message);
    this.replaceChildren(...[...new Set(messages)].map((message) => make('p', { class: 'error' }, [message])));
  }
}

customElements.define('tensor-problem', TensorProblem);
