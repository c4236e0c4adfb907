import { ExplorerPart, find, make } from '../app/part.js';

/** @typedef {import('../app/session.js').Session} Session */
/** @typedef {import('../app/types.js').FieldProblem} FieldProblem */
/** @typedef {keyof import('../app/types.js').TensorFields} FieldName */

/** One text field of a tensor, with the complaint that belongs to it. */
export class TensorField extends ExplorerPart {
  /** @returns {'a' | 'b'} */
  get side() {
    return this.getAttribute('side') === 'b' ? 'b' : 'a';
  }

  /** @returns {FieldName} */
  get name() {
    return /** @type {FieldName} */ (this.getAttribute('name'));
  }

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const input = find(this, 'input', HTMLInputElement);
    // The first keystroke of an edit gets an entry in the history; the rest of the edit shares it.
    let settled = true;
    input.addEventListener(
      'input',
      () => {
        session.edit(this.side, { [this.name]: input.value }, settled ? 'push' : 'replace');
        settled = false;
      },
      { signal },
    );
    for (const type of ['change', 'blur']) input.addEventListener(type, () => (settled = true), { signal });
    session.on('state', () => this.#fill(session), signal);
    session.on('problem', () => this.#complain(session), signal);
    this.#fill(session);
    this.#complain(session);
  }

  /** @param {Session} session */
  #fill(session) {
    const input = find(this, 'input', HTMLInputElement);
    const text = session.state[this.side]?.[this.name] ?? '';
    if (input.value !== text) input.value = text;
  }

  /** @param {Session} session */
  #complain(session) {
    const input = find(this, 'input', HTMLInputElement);
    const error = find(this, '.error', HTMLElement);
    const problems = this.name === 'slice' ? session.problems.slice : session.problems[this.side];
    const mine = problems.filter(({ field }) => field === this.name);
    input.setAttribute('aria-invalid', String(mine.length > 0));
    error.replaceChildren(...mine.flatMap((problem) => complaint(problem, input.value.trim())));
  }
}

/**
 * @param {FieldProblem} problem
 * @param {string} text
 */
function complaint({ message, position }, text) {
  const parts = [make('span', {}, [message])];
  if (position !== null && position < text.length) {
    const mark = make('mark', {}, [text.slice(position, position + 1)]);
    parts.push(make('span', { class: 'at' }, [text.slice(0, position), mark, text.slice(position + 1)]));
  }
  return parts;
}

customElements.define('tensor-field', TensorField);
