import { ApiProblem, read } from '../../api/client.js';
import { rankOf } from '../../api/fields.js';
import { firstLines, mayCarryMore, oneLine, received } from '../../state/pasted.js';
import { NameList } from '../shared/name-list.js';
import { undoTaken } from '../shared/pastes.js';
import { TensorField } from './tensor-field.js';

/** @import { FieldProblem } from '../../api/types.js' */
/** @import { ShownProblem } from '../../state/types.js' */

/** The field of a layout: takes any notation, completes names, reads shape and type from pasted text. */
customElements.define('layout-field', class LayoutField extends TensorField {
  /** @type {{text: string, problems: readonly ShownProblem[]} | null} the errors of the last paste */
  #refused = null;
  #reading = new AbortController();

  /** @override */
  start() {
    const { session } = this;
    super.start();
    const { input } = this;
    const names = new NameList(this, {
      catalogue: () => session.catalogue(),
      rank: () => rankOf(session.state.a.shape),
      choose: (value) => this.#type(value),
    });
    // What a trial shows is not hidden by more names.
    this.when('story', () => session.story?.stage === 'done' && names.close());
    // B is another layout of A's tensor, so a paste cannot change its sizes.
    if (this.side === 'b') return;
    this.listen(input, 'paste', (event) => this.#paste(event));
    undoTaken(this);
    this.signal.addEventListener('abort', () => this.#reading.abort());
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
    const { input } = this;
    input.select();
    if (document.execCommand('insertText', false, oneLine(text))) return;
    input.value = oneLine(text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** @param {ClipboardEvent} event */
  async #paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!mayCarryMore(text)) return;
    event.preventDefault();
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const { selectionStart: start, selectionEnd: end } = this.input;
    try {
      const lines = firstLines(text);
      const answer = await read(lines.text, signal);
      if (signal.aborted) return;
      const { pasted, taken } = received(this.session.state, answer, lines.linesLeft);
      this.session.paste(pasted);
      if (taken) this.session.take(taken);
      else if (!pasted) this.#type(text);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      // An error with a position: the paste is meant as a whole. One without: it is a part of a text.
      const broken = error.problems.some(({ position }) => position !== null);
      const { value } = this.input;
      this.#type(broken ? text : value.slice(0, start ?? 0) + text + value.slice(end ?? value.length));
      if (broken) this.#refuse(error.problems);
    }
  }

  /** @param {readonly FieldProblem[]} problems */
  #refuse(problems) {
    this.#refused = { text: this.input.value, problems: problems.map((problem) => ({ ...problem, field: 'layout', about: 'layout' })) };
    this.complain();
  }
});
