import { partOf } from '../../state/answers.js';
import { offersFor } from '../../state/half-typed.js';
import { problemText, waitingText } from '../../words/waiting.js';
import { NARROW } from '../shared/page/root.js';
import { ExplorerPart, find, make, makeButton, selectAll } from '../shared/part.js';
import { takePastes } from '../shared/pastes.js';

/** @import { ShownProblem } from '../../state/types.js' */
/** @typedef {keyof import('../../api/types.js').TensorFields} FieldName */

const CHARACTERS_BESIDE = 12;
const TOUCH = '(pointer: coarse)';

/** One text field of a tensor. Below the fields stands what is wrong with its text, or that it waits for more. */
export class TensorField extends ExplorerPart {
  /** @returns {FieldName} */
  get name() {
    return /** @type {FieldName} */ (this.getAttribute('name'));
  }

  get input() {
    return find(this, 'input', HTMLInputElement);
  }

  /** @override */
  start() {
    const { session, input } = this;
    // The first keystroke of an edit adds an entry to the browser's history; the others replace it.
    let settled = true;
    this.listen(input, 'input', () => {
      session.type(this, input.value, settled ? 'push' : 'replace');
      settled = false;
    });
    const leave = () => {
      settled = true;
      session.leave();
    };
    for (const type of /** @type {const} */ (['change', 'blur'])) this.listen(input, type, leave);
    this.listen(input, 'keydown', ({ key }) => {
      if (['Enter', 'Escape'].includes(key)) leave();
      if (key === 'Enter') this.uncover();
    });
    // A finger that places the caret at once puts it amid the text; a browser takes a second press within what is selected for none.
    this.listen(input, 'mousedown', (event) => matchMedia(TOUCH).matches && (document.activeElement === input ? input.setSelectionRange(0, 0) : selectAll(event, input)));
    this.listen(input, 'scroll', () => (find(this, '.mirror', HTMLElement).scrollLeft = input.scrollLeft));
    if (this.name === 'shape' && this.side === 'a') takePastes(this);
    this.follow('state', () => {
      const text = this.session.state[this.side]?.[this.name] ?? '';
      if (input.value !== text) input.value = text;
      this.style.setProperty('--characters', String(text.length));
    });
    this.follow('problem', () => this.complain());
  }

  /** On a small screen the fields, and the keyboard of a touch screen, cover what was typed. */
  uncover() {
    if (!matchMedia(NARROW).matches) return;
    this.closest('form')?.querySelector('.more')?.removeAttribute('open');
    if (!matchMedia(TOUCH).matches) return;
    this.input.blur();
    document.getElementById('grid-a')?.scrollIntoView({ block: 'nearest' });
  }

  /** @returns {readonly ShownProblem[]} those of this field */
  problems() {
    // What is wrong with one step stands at that step.
    return this.session.problems[partOf(this)].filter(({ field, step }) => field === this.name && step === undefined);
  }

  complain() {
    const { input } = this;
    const mine = this.problems();
    input.setAttribute('aria-invalid', String(mine.length > 0));
    const sent = mine.find(({ position }) => position !== null)?.position ?? null;
    const at = sent === null ? null : Math.min(sent + this.#unsent(), input.value.length);
    const label = find(this, 'label', HTMLElement).textContent ?? '';
    const typed = { ...this.session.state.a, ...this.session.state[this.side], other: '' };
    const messages = mine.map((problem) => make('span', {}, [problemText(problem, label, typed[problem.about])]));
    // Marked first: placeOf measures whether the text fits its field.
    this.#mark(at);
    this.#told('error').replaceChildren(...messages, ...(at === null ? [] : placeOf(input, at)));
    const { halfTyped } = this.session;
    const waits = halfTyped?.side === this.side && halfTyped.name === this.name && mine.length === 0;
    this.#told('wait').textContent = waits ? waitingText(this.name, halfTyped.how) : '';
    if (this.side === 'b' || mine.length === 0) return;
    for (const { words, fields } of offersFor(this.name, this.session.state.a, mine, this.session.answers.a?.description.shape.length)) {
      const button = makeButton([words], () => this.session.edit('a', fields, 'push'));
      // The field keeps the focus: leaving it would replace the button before the click.
      for (const type of ['pointerdown', 'mousedown']) button.addEventListener(type, (event) => event.preventDefault());
      this.#told('error').append(' ', button);
    }
  }

  /** @param {'error' | 'wait'} what of this field is said below all fields */
  #told(what) {
    return find(document, `#${this.side}-${this.name}-${what}`, HTMLElement);
  }

  /** How many characters at the beginning are not sent to the API. */
  #unsent() {
    const { value } = this.input;
    if (this.name === 'layout' || this.name === 'steps') return 0;
    const bracket = this.name === 'slice' && value.trimStart().startsWith('[') ? 1 : 0;
    return value.length - value.trimStart().length + bracket;
  }

  /** @param {number | null} at character to be underlined in the field */
  #mark(at) {
    const mirror = find(this, '.mirror', HTMLElement);
    mirror.hidden = at === null;
    if (at === null) return;
    const { value } = this.input;
    // At the end of the text a blank is underlined.
    const line = make('span', {}, [value.slice(0, at), make('mark', {}, [value[at] ?? ' ']), value.slice(at + 1)]);
    mirror.replaceChildren(line);
    mirror.scrollLeft = this.input.scrollLeft;
  }
}

/**
 * The character at fault in words, for screen readers, and an excerpt where the field is too narrow for its text.
 * @param {HTMLInputElement} input
 * @param {number} at
 */
function placeOf(input, at) {
  const { value } = input;
  const words = at < value.length ? `Character ${at + 1} is ${value[at]}` : 'The text ends there';
  const spoken = make('span', { class: 'spoken' }, [words]);
  if (input.clientWidth === 0 || input.scrollWidth <= input.clientWidth) return [spoken];
  const from = Math.max(0, at - CHARACTERS_BESIDE);
  const to = at + 1 + CHARACTERS_BESIDE;
  const excerpt = make('span', { class: 'at', 'aria-hidden': 'true' }, [
    (from > 0 ? '…' : '') + value.slice(from, at),
    make('mark', {}, [value[at] ?? ' ']),
    value.slice(at + 1, to) + (to < value.length ? '…' : ''),
  ]);
  return [excerpt, spoken];
}

customElements.define('tensor-field', TensorField);
