import { ApiProblem, isOfRun } from '../../api/client.js';
import { choicesOf, readPasted, stepsTaken, takenFrom } from '../../state/pasted.js';
import { reorderHref } from '../../state/reorder/link.js';
import { foundWords, quoted, readRows } from '../../words/found.js';
import { ExplorerPart, find, make, makeButton, unfold } from '../shared/part.js';
import { runLink } from '../shared/run/link.js';

/** @import { Taken, Pasted } from '../../state/pasted.js' */

/** The field for pastes, on the pages that have one. */
const FIELD = '#paste';

/**
 * A text that is pasted outside every field: how it is read is shown in a dialog before it is taken. Enter
 * takes it, Escape leaves it.
 */
customElements.define('paste-anywhere', class PasteAnywhere extends ExplorerPart {
  /** The pasted text, if it is the log of a run. */
  #run = '';
  /** @type {{pasted: Pasted | null, taken: Taken | null}} */
  #offered = { pasted: null, taken: null };

  get #dialog() {
    return find(this, 'dialog', HTMLDialogElement);
  }

  /** @override */
  start() {
    this.listen(document, 'paste', (event) => this.#paste(event));
    const field = document.querySelector(FIELD);
    // What was typed into the field for pastes is read on Enter.
    if (field instanceof HTMLInputElement) {
      this.listen(field, 'keydown', (event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        if (field.value.trim() !== '') void this.#read(field.value);
      });
    }
    this.listen(find(this, 'form', HTMLFormElement), 'submit', ({ submitter }) => {
      // The form's method closes the dialog.
      if (submitter === find(this, '.take', HTMLButtonElement)) this.#take(this.#offered);
    });
  }

  /** @param {{pasted: Pasted | null, taken: Taken | null}} offered */
  #take({ pasted, taken }) {
    this.session.paste(pasted, taken);
    this.#dialog.close();
    if (!taken?.unsized) return;
    const shape = find(document, '#a-shape', HTMLInputElement);
    unfold(shape);
    shape.select();
  }

  /** @param {ClipboardEvent} event */
  async #paste(event) {
    const typed = event.target instanceof Element && event.target.closest(`input:not(${FIELD}), textarea, select, [contenteditable], dialog[open]:not(paste-anywhere > dialog)`);
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (typed || text.trim() === '') return;
    event.preventDefault();
    await this.#read(text);
  }

  /** @param {string} text */
  async #read(text) {
    const signal = this.ask();
    find(this, '.take', HTMLButtonElement).hidden = true; // it would take the text before
    try {
      const said = await readPasted(this.session, text, signal);
      if (signal.aborted) return;
      this.#run = said.answer.run ? text : '';
      this.#offer(said);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      this.#run = isOfRun(error) ? text : '';
      this.#offered = { pasted: null, taken: null };
      this.#show([['Pasted', quoted(text)], ['Not read', error.message]]);
    }
  }

  /** @param {Awaited<ReturnType<typeof readPasted>>} said */
  #offer({ answer, linesLeft, pasted, taken }) {
    const { a } = this.session.state;
    if (answer.steps.length > 0) {
      this.#offered = { pasted: null, taken: stepsTaken(a, answer.steps) };
      this.#show([['Read as', 'steps of a view'], ['Steps', this.#offered.taken?.after.steps ?? '']]);
      return;
    }
    const layout = taken || pasted || answer.layout === null ? null : takenFrom(a, answer);
    this.#offered = { pasted, taken: taken ?? layout };
    const others = (pasted ? choicesOf(this.session.state, pasted) : []).map(({ tensors, ...offered }) => {
      const { role, sizes, layout: written } = foundWords(tensors, 0);
      return makeButton([make('b', {}, [role]), ` ${sizes} ${written}`], () => this.#take(offered));
    });
    const rows = readRows(answer, a, this.#offered.taken?.after ?? null, linesLeft);
    const beside = this.#offered.taken?.b?.after;
    const href = beside && taken ? reorderHref({ ...this.session.state, a: taken.after, b: beside }) : '';
    this.#show([...rows, ...(beside ? [['Compare', beside.layout, ' ', make('a', { href }, ['or watch the reorder'])]] : []), ...(others.length > 0 ? [['Or take', ...others]] : [])]);
  }

  /** @param {(string | Node)[][]} rows each a name and what is said of it */
  #show(rows) {
    const list = rows.flatMap(([name, ...said]) => [make('dt', {}, [name]), make('dd', {}, said)]);
    const whole = this.#run ? [make('dt', {}, ['Run']), make('dd', {}, [runLink(this.#run)])] : [];
    find(this, 'dl', HTMLDListElement).replaceChildren(...list, ...whole);
    const take = find(this, '.take', HTMLButtonElement);
    take.hidden = !this.#offered.taken && !this.#offered.pasted;
    if (!this.#dialog.open) this.#dialog.showModal();
    (take.hidden ? find(this, '.leave', HTMLButtonElement) : take).focus();
  }
});
