import { ExplorerPart, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** Errors that belong to no field on the page: the server does not answer, B cannot hold A's tensor. */
export class TensorProblem extends ExplorerPart {
  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    session.on('problem', () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ problems }) {
    const alone = [...problems.a, ...problems.slice].filter(({ field }) => field === 'other');
    // B has A's shape: where A is wrong, its error is shown already.
    const ofB = problems.a.length > 0 ? [] : problems.b.filter(({ field }) => field !== 'layout');
    const messages = [...alone.map(({ message }) => message), ...ofB.map(({ message }) => `B: ${message}`)];
    this.replaceChildren(...[...new Set(messages)].map((message) => make('p', { class: 'error' }, [message])));
  }
}

customElements.define('tensor-problem', TensorProblem);
