import { ApiProblem, read } from '../../api/client.js';
import { mayCarryMore, takenFrom } from '../../state/pasted.js';
import { ExplorerPart, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/pasted.js').Taken} Taken */

/** Says what was taken from a pasted text, with a button to undo it, or offers what a typed text says. */
export class PasteNote extends ExplorerPart {
  #reading = new AbortController();

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    session.on('state', () => this.#show(session), signal);
    session.on('problem', () => this.#offer(session), signal);
    signal.addEventListener('abort', () => this.#reading.abort());
    this.#show(session);
  }

  /** @param {Session} session */
  #show(session) {
    const { taken } = session;
    this.#reading.abort();
    this.replaceChildren();
    if (!taken) return;
    const undo = make('button', { type: 'button' }, ['Undo']);
    undo.addEventListener('click', () => session.untake());
    this.replaceChildren(make('p', {}, [`Taken from the text: ${taken.words}`]), undo);
  }

  /**
   * Offers the sizes that a typed text contains, where they differ from those in the field.
   * @param {Session} session
   */
  async #offer(session) {
    const { state, problems, taken } = session;
    if (taken || problems.a.length === 0 || !mayCarryMore(state.a.layout)) {
      if (!taken) this.replaceChildren();
      return;
    }
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    try {
      const found = takenFrom(state.a, await read(state.a.layout, signal));
      if (signal.aborted || !found || found.after.shape === state.a.shape) return;
      this.#suggest(session, found);
    } catch (error) {
      // Where the text says nothing more, its error is already shown beside its field.
      if (!signal.aborted && !(error instanceof ApiProblem)) throw error;
    }
  }

  /**
   * @param {Session} session
   * @param {Taken} found
   */
  #suggest(session, found) {
    const button = make('button', { type: 'button' }, [`Take shape ${found.after.shape} from this text`]);
    button.addEventListener('click', () => session.take(found));
    this.replaceChildren(button);
  }
}

customElements.define('paste-note', PasteNote);
