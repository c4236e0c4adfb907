import { namesWith } from '../../state/network/marks.js';
import { exactText } from '../../words/numbers.js';
import { find, NetworkPart } from '../shared/part.js';

/** @typedef {import('../../state/network/session.js').NetworkSession} NetworkSession */

/** Finds nodes by name or operator: what fits is framed, Enter goes from one to the next. */
export class NetworkFind extends NetworkPart {
  /** The one that the search stands at. */
  #at = -1;

  /** @override @type {NetworkPart['start']} */
  start(session, signal) {
    const field = find(this, 'input', HTMLInputElement);
    field.addEventListener('input', () => this.#search(session), { signal });
    field.addEventListener('keydown', (event) => this.#key(session, event), { signal });
    session.on('answer', () => this.#search(session), signal);
    const area = find(document, 'network-graph .window', HTMLElement);
    area.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        field.select();
        field.focus();
      },
      { signal },
    );
  }

  /** @param {NetworkSession} session */
  #search(session) {
    this.#at = -1;
    session.markNames(namesWith(session.answer, find(this, 'input', HTMLInputElement).value));
    this.#say(session.found);
  }

  /**
   * @param {NetworkSession} session
   * @param {KeyboardEvent} event
   */
  #key(session, event) {
    const { found } = session;
    if (event.key === 'Escape') {
      find(this, 'input', HTMLInputElement).value = '';
      this.#search(session);
      find(document, 'network-graph .window', HTMLElement).focus();
    } else if (event.key === 'Enter' && found.length > 0) {
      this.#at = (this.#at + (event.shiftKey ? -1 : 1) + found.length + Number(this.#at < 0 && event.shiftKey)) % found.length;
      session.change({ at: found[this.#at] }, 'replace');
      this.#say(found);
    } else return;
    event.preventDefault();
  }

  /** @param {readonly string[]} found */
  #say(found) {
    const typed = find(this, 'input', HTMLInputElement).value.trim() !== '';
    const count = exactText(found.length);
    const text = this.#at < 0 ? `${count} found` : `${exactText(this.#at + 1)} of ${count}: ${found[this.#at]}`;
    find(this, '.hits', HTMLElement).textContent = typed ? text : '';
  }
}

customElements.define('network-find', NetworkFind);
