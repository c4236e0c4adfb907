import { answerOf } from '../../state/learn/given.js';
import { strideOf, unbroken } from '../../words/learn/answer.js';
import { find, LearnPart, make, selectAll } from '../shared/part.js';

/** @import { Question } from '../../api/learn.js' */

/** Characters of a question that is short enough for the size of a title. */
const SHORT = 100;
const UNITS = Object.freeze({ address: 'Address', byte: 'Byte', bytes: 'Bytes', elements: 'Places', lines: 'Cache lines' });
const HOW = Object.freeze({ cell: 'Choose a cell of the tensor, then check it.', cells: 'Mark cells of the tensor, then check them; press again to take one back.', several: 'Mark all that are.' });

/** A prediction, by native inputs; help that does not tell the answer. */
customElements.define('lesson-question', class LessonQuestion extends LearnPart {
  /** @override */
  start() {
    const { session } = this;
    const form = find(this, 'form', HTMLFormElement);
    let within = false;
    this.when('lesson', () => {
      const { lesson } = session;
      const prompt = find(this, '.prompt', HTMLElement);
      prompt.textContent = unbroken(lesson?.question.prompt ?? '');
      prompt.classList.toggle('long', prompt.textContent.length > SHORT);
      find(this, '.prediction', HTMLElement).replaceChildren(...(lesson ? inputsOf(lesson.question) : []));
      // Who went on from the question before, and nowhere else since, answers at once; where fingers touch a screen, its keyboard would open.
      const still = this.contains(document.activeElement) || document.activeElement === document.body;
      if (lesson && within && still && !matchMedia('(pointer: coarse)').matches) queueMicrotask(() => find(this, 'input, select', HTMLElement).focus({ preventScroll: true }));
      within = !lesson && this.contains(document.activeElement);
    });
    this.when(['hint', 'lesson', 'checked'], () => {
      const { cause, checked, lesson, hints } = this.session;
      // What the answer is told says more.
      const shown = checked ? [] : (lesson?.hints.slice(0, hints) ?? []);
      const again = cause !== null && !checked ? [make('p', { class: 'again' }, [make('strong', {}, ['✗ Not right yet. ']), unbroken(`${cause} Try once more${shown.length > 0 ? ':' : '.'}`.trim())])] : [];
      const said = find(this, '.hints', HTMLElement);
      said.replaceChildren(...again, ...shown.map((text) => make('p', {}, [unbroken(text)])));
      if (said.childElementCount > 0) said.scrollIntoView({ block: 'nearest' });
      if (again.length > 0 && document.activeElement instanceof HTMLInputElement) document.activeElement.select();
      find(this, '.hint-me', HTMLButtonElement).disabled = hints >= (lesson?.hints.length ?? 0);
    });
    this.when(['problem', 'lesson'], () => (this.say('.error', session.problem)));
    this.when(['checked', 'lesson'], () => (find(this, '.checks .acts', HTMLElement).hidden = !session.lesson || Boolean(session.checked)));
    this.when(['hint', 'checked'], () => this.#mark());
    this.when('checked', () => this.#close());
    this.listen(form, 'submit', (event) => {
      event.preventDefault();
      this.#submit(form);
    });
    // A stride that is chosen anew was not checked.
    this.listen(form, 'change', ({ target }) => target instanceof Element && target.closest('.field')?.querySelector('strong')?.remove());
    // The next answer takes the place of a wrong one.
    this.listen(form, 'mousedown', (event) => event.target instanceof HTMLInputElement && event.target.value.trim() === String(session.tried) && selectAll(event, event.target));
    this.press('.hint-me', () => session.hint());
    this.press('.show-me', () => void session.answer(null));
  }

  /** Says of each stride that was answered whether it is right. */
  #mark() {
    const { fields } = this.session;
    for (const [at, field] of this.querySelectorAll('.field:has(select)').entries()) {
      field.querySelector('strong')?.remove();
      if (at in fields) field.append(sign(fields[at]));
    }
  }

  /** Marks the choices as the grids mark cells; who gave up sees the strides in their fields. */
  #close() {
    const { checked, given } = this.session;
    this.querySelector('.prediction > .hint')?.remove();
    for (const [at, input] of this.querySelectorAll('.prediction :is(input, select)').entries()) {
      input.setAttribute('disabled', '');
      if (input instanceof HTMLSelectElement && given === null) input.value = String([checked?.expected].flat()[at]);
      if (!(input instanceof HTMLInputElement) || input.name !== 'choice') continue;
      const right = [checked?.expected].flat().includes(input.value);
      if (right || input.checked) input.parentElement?.append(sign(right));
    }
  }

  /** @param {HTMLFormElement} form */
  #submit(form) {
    if (!this.session.lesson) return;
    const found = answerOf(this.session.lesson.question, new FormData(form));
    if (typeof found === 'string') this.session.refuse(found);
    else void this.session.answer(found.answer);
  }
});

/** @param {boolean} right */
function sign(right) {
  return make('strong', right ? {} : { class: 'wrong' }, [right ? '✓' : '✗', make('span', { class: 'spoken' }, [right ? 'right' : 'not right'])]);
}

/** @param {Question} question @returns {Node[]} */
function inputsOf({ kind, choices, dims, unit }) {
  if (kind === 'number') {
    const input = make('input', { name: 'number', type: 'text', inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'prompt' });
    return [make('label', { class: 'field' }, [make('span', {}, [UNITS[unit ?? 'address']]), input])];
  }
  if (kind === 'strides') {
    return [...dims].map((dim, at) => {
      const options = ['', ...choices].map((text) => make('option', { value: text }, [text || '?']));
      const select = make('select', { name: `stride${at}`, 'aria-describedby': 'prompt' }, options);
      return make('label', { class: 'field' }, [make('span', {}, [/\d/.test(dim) ? strideOf(dim) : `${strideOf(dim)} stride`]), select]);
    });
  }
  const how = kind === 'choice' ? [] : [make('p', { class: 'hint' }, [HOW[kind]])];
  if (kind === 'cell' || kind === 'cells') return how;
  const type = kind === 'choice' ? 'radio' : 'checkbox';
  const rows = choices.map((text) => make('label', { class: 'choice' }, [make('input', { type, name: 'choice', value: text }), make('code', {}, [text])]));
  return [make('fieldset', { 'aria-labelledby': 'prompt' }, [...how, ...rows])];
}
