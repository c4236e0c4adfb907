import { sideNamed } from '../../words/command/listed.js';
import { goesTo, readPlace } from '../../words/place.js';
import { isNarrow } from '../shared/memories.js';
import { ExplorerPart, find, selectAll } from '../shared/part.js';

/** The field for an address or a coordinate to go to. G in a grid brings the keyboard here, Escape back. */
customElements.define('go-to', class GoTo extends ExplorerPart {
  /** @type {HTMLElement | null} the grid that the keyboard came from */
  #from = null;
  /** The cell, and the shape, that what stands in the field has led to; empty while one types. */
  #went = '';

  /** @override */
  start() {
    const input = find(this, 'input', HTMLInputElement);
    this.listen(find(this, 'form', HTMLFormElement), 'submit', (event) => {
      event.preventDefault();
      this.#go(input.value);
      // On a phone the place is said beside the field once that is left; what is said below it stays until then.
      if (isNarrow() && find(this, '.said', HTMLElement).textContent === '') input.blur();
      else input.select();
    });
    this.listen(input, 'input', () => {
      this.#went = '';
      this.#say('', false);
    });
    this.when(['answer', 'selected'], () => {
      if (this.#went && this.#went !== this.#here()) input.value = this.#went = '';
    });
    this.listen(input, 'blur', () => this.#say('', false));
    this.listen(input, 'keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      if (this.#from) this.#from.focus();
      else input.blur();
    });
    // What was said is not true of another layout.
    this.when('answer', () => {
      this.#say('', false);
      input.placeholder = goesTo(this.session.answers.a?.description.shape ?? []);
    });
    this.closest('main')?.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'g' || event.ctrlKey || event.altKey || event.metaKey) return;
      if (!(event.target instanceof HTMLElement) || !event.target.matches('[role=grid]')) return;
      this.#from = event.target;
      selectAll(event, input);
    }, { signal: this.signal });
  }

  #here() {
    return `${this.session.answers.a?.description.shape} ${this.session.selected}`;
  }

  /** @param {string} text */
  #go(text) {
    const { session } = this;
    const { side, rest } = sideNamed(text, session.answers.b !== null);
    const answer = session.answers[side];
    const place = answer?.tensor ? readPlace(rest, answer.tensor, answer.itemsize_bits, session.selected) : { problem: 'There is no tensor to go to yet.' };
    if ('problem' in place) {
      this.#say(place.problem, true);
      return;
    }
    this.#went = '';
    session.go({ side, coords: place.coords, address: place.address });
    this.#went = this.#here();
    this.#say(place.coords ? place.note : '', false); // the sum says why there is none
  }

  /**
   * @param {string} text
   * @param {boolean} wrong
   */
  #say(text, wrong) {
    const said = find(this, '.said', HTMLElement);
    said.textContent = text;
    said.classList.toggle('error', wrong);
    find(this, 'input', HTMLInputElement).setAttribute('aria-invalid', String(wrong));
  }
});
