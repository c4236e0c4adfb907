import { namesWith } from '../../state/network/marks.js';
import { exactText } from '../../words/numbers.js';
import { find, NetworkPart, selectAll } from '../shared/part.js';

/** Finds nodes by name or operator: what fits is framed, Enter goes from one to the next. */
customElements.define('network-find', class NetworkFind extends NetworkPart {
  /** The one that the search stands at. */
  #at = -1;

  /** @override */
  start() {
    const field = find(this, 'input', HTMLInputElement);
    this.listen(field, 'input', () => this.#search());
    this.listen(field, 'keydown', (event) => this.#key(event));
    this.when('answer', () => this.#search());
    this.listen(document, 'keydown', (event) => {
      const typed = event.target instanceof Element && event.target.closest('input, select, textarea, [role=textbox], dialog');
      if (!typed && event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey) selectAll(event, field);
    });
  }

  #search() {
    this.#at = -1;
    this.session.markNames(namesWith(this.session.answer, find(this, 'input', HTMLInputElement).value));
    this.#say(this.session.found);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { found } = this.session;
    if (event.key === 'Escape') {
      find(this, 'input', HTMLInputElement).value = '';
      this.#search();
      find(document, 'network-graph .window', HTMLElement).focus();
    } else if (event.key === 'Enter' && found.length > 0) {
      this.#at = (this.#at + (event.shiftKey ? -1 : 1) + found.length + Number(this.#at < 0 && event.shiftKey)) % found.length;
      this.session.change({ at: found[this.#at] }, 'replace');
      this.#say(found);
    } else return;
    event.preventDefault();
  }

  /** @param {readonly string[]} found */
  #say(found) {
    const typed = find(this, 'input', HTMLInputElement).value.trim() !== '';
    const count = exactText(found.length);
    const text = this.#at < 0 ? `${count} found` : `${exactText(this.#at + 1)} of ${count}: ${found[this.#at]}`;
    this.say('.hits', typed ? text : '');
  }
});
