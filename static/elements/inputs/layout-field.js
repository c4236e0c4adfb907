import { ApiProblem } from '../../api/client.js';
import { rankOf } from '../../api/fields.js';
import { mayCarryMore, readPasted } from '../../state/pasted.js';
import { askedFor } from '../../state/story.js';
import { NameList } from '../shared/name-list.js';
import { insert, undoTaken } from '../shared/pastes.js';
import { TensorField } from './tensor-field.js';

/** @import { ShownProblem } from '../../state/types.js' */

/** The field of a layout: takes any notation, completes names, reads shape and type from pasted text. */
customElements.define('layout-field', class LayoutField extends TensorField {
  /** @type {{text: string, problems: readonly ShownProblem[]} | null} the errors of the last paste */
  #refused = null;

  /** @override */
  start() {
    const { session, input } = this;
    const offered = () => /** @type {HTMLElement | null} */ (document.querySelector(`#${this.side}-layout-error > button`));
    this.listen(input, 'keydown', ({ key }) => key === 'Enter' && input.ariaExpanded === 'false' && offered()?.click());
    super.start();
    // Where the field is too narrow, a name says more than the prefix before it; of a name and of strides the beginning does.
    let shifted = '';
    const shift = (again = false) => {
      // To measure lays the page out, which a key must not wait for.
      if (input === document.activeElement || (input.value === shifted && !again)) return;
      shifted = input.value;
      this.title = input.scrollWidth > input.clientWidth ? input.value : '';
      input.scrollLeft = (input.scrollWidth * input.value.search(/(?<=^\w+:)[a-z]/i)) / input.value.length;
    };
    this.follow('state', () => shift());
    this.listen(input, 'blur', () => requestAnimationFrame(() => shift(true))); // the browser itself scrolls back
    const names = new NameList(this, {
      catalogue: () => session.catalogue(),
      rank: () => rankOf(session.state.a.shape),
      asked: () => askedFor(session.story, session.state)[this.side === 'a' ? 'layout' : 'b'],
      choose: (value) => this.#type(value),
      settle: (layout) => session.edit(this.side, { layout }, 'replace'),
    });
    // What a trial shows is not hidden by more names.
    this.when('story', () => session.story?.stage === 'done' && names.close());
    // B is another layout of A's tensor, so a paste cannot change its sizes.
    if (this.side === 'b') return;
    this.listen(input, 'paste', (event) => this.#paste(event));
    undoTaken(this);
  }

  /** @override */
  problems() {
    // The reader of pastes names the place of an error better than the guessed notation does.
    if (this.#refused?.text === this.input.value) return this.#refused.problems;
    return super.problems();
  }

  /**
   * Replaces the whole field as if typed: unlike setting the value, the browser can undo it.
   * @param {string} text
   */
  #type(text) {
    this.input.select();
    insert(this.input, text);
    // A prefix goes on; pastes are A's.
    if (this.side === 'b' && !text.endsWith(':')) this.uncover();
  }

  /** @param {ClipboardEvent} event */
  async #paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!mayCarryMore(text)) return;
    event.preventDefault();
    const signal = this.ask();
    const { selectionStart: start, selectionEnd: end } = this.input;
    try {
      const { pasted, taken } = await readPasted(this.session, text, signal);
      if (signal.aborted) return;
      this.session.paste(pasted, taken);
      if (!taken && !pasted) this.#type(text);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      // An error with a position: the paste is meant as a whole. One without: it is a part of a text.
      const broken = error.problems.some(({ position }) => position !== null);
      const { value } = this.input;
      this.#type(broken ? text : value.slice(0, start ?? 0) + text + value.slice(end ?? value.length));
      if (!broken) return;
      this.#refused = { text: this.input.value, problems: error.problems.map((problem) => ({ ...problem, field: 'layout', about: 'layout' })) };
      this.complain();
    }
  }
});
