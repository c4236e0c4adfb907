import { formatSteps, MOST_STEPS, parseSteps, STEP_OPS, usualArguments } from '../../api/steps-text.js';
import { counted } from '../../words/numbers.js';
import { resultText } from '../../words/view-results.js';
import { ExplorerPart, find, make } from '../shared/part.js';
import { ViewBreak } from './view-break.js';

/** @import { StepText } from '../../api/steps-text.js' */
/** @typedef {Pick<StepText, 'op' | 'args'>} PlainStep */

/** The steps of a view, one below the other: each with its arguments and what it gives. */
customElements.define('view-steps', class ViewSteps extends ExplorerPart {
  /** The first keystroke of an edit adds an entry to the browser's history; the others replace it. */
  #settled = true;

  /** @override */
  start() {
    const list = find(this, 'ol', HTMLOListElement);
    const choice = find(this, '.add select', HTMLSelectElement);
    choice.replaceChildren(...options());
    this.press('.add button', () => {
      const steps = this.#steps();
      if (steps.length >= MOST_STEPS) return;
      const shape = this.session.answers.a?.description.shape ?? [];
      this.#write([...steps, { op: choice.value, args: usualArguments(choice.value, shape) }], 'push');
      this.#focus(steps.length, 'input');
    });
    this.listen(list, 'input', (event) => this.#typed(event));
    this.listen(list, 'change', () => {
      this.#settled = true;
      this.session.leave();
    });
    this.listen(list, 'click', (event) => this.#pressed(event));
    this.follow('state', () => {
      const steps = this.#steps();
      steps.forEach((step, at) => {
        const shown = list.children[at];
        if (!(shown instanceof HTMLElement)) list.append(rowOf(step, at));
        else if (shown.dataset.op !== step.op) shown.replaceWith(rowOf(step, at));
        fillRow(list.children[at], step, at, steps.length);
      });
      while (list.children.length > steps.length) list.lastElementChild?.remove();
    });
    this.follow(['answer', 'problem'], () => this.#tell());
  }

  #steps() {
    return parseSteps(this.session.state.a.steps).steps;
  }

  /**
   * @param {readonly PlainStep[]} steps
   * @param {import('../../state/session.js').Mark} mark
   */
  #write(steps, mark) {
    this.session.edit('a', { steps: formatSteps(steps) }, mark);
  }

  /** @param {Event} event */
  #typed({ target }) {
    const at = placeOf(target);
    if (at < 0) return;
    const steps = this.#steps().map(({ op, args }) => ({ op, args: { ...args } }));
    if (target instanceof HTMLSelectElement) {
      const before = at === 0 ? this.session.answers.a?.memory.description : this.session.answers.a?.chain?.results[at - 1];
      steps[at] = { op: target.value, args: usualArguments(target.value, before?.shape ?? []) };
      this.#write(steps, 'push');
      this.#focus(at, 'select');
    } else if (target instanceof HTMLInputElement) {
      steps[at].args[target.name] = target.value;
      this.session.type({ side: 'a', name: 'steps' }, formatSteps(steps), this.#settled ? 'push' : 'replace');
      this.#settled = false;
    }
  }

  /** @param {Event} event */
  #pressed({ target }) {
    const button = target instanceof Element ? target.closest('button') : null;
    const at = placeOf(button);
    if (!button || at < 0) return;
    /** @type {PlainStep[]} */
    const steps = [...this.#steps()];
    const [step] = steps.splice(at, 1);
    const { move } = button.dataset;
    const to = move === 'up' ? at - 1 : at + 1;
    if (move) steps.splice(to, 0, step);
    this.#write(steps, 'push');
    if (move) this.#focus(to, `[data-move="${move}"]:not(:disabled)`);
    else if (steps.length > 0) this.#focus(Math.min(at, steps.length - 1), 'select');
    else find(this, '.add select', HTMLSelectElement).focus();
  }

  /**
   * @param {number} at
   * @param {string} what the choice of the op where the row has no such control
   */
  #focus(at, what) {
    const row = this.querySelectorAll('li')[at];
    const control = row?.querySelector(what) ?? row?.querySelector('select');
    if (control instanceof HTMLElement) control.focus();
  }

  /** What the API says of each step. */
  #tell() {
    const { answers, problems, state } = this.session;
    const chain = state.a.steps.trim() ? answers.a?.chain : null;
    const stored = answers.a?.memory.description;
    this.say('.stored', stored && chain ? `x ${resultText(stored)}` : '');
    this.querySelectorAll('li').forEach((row, at) => {
      const result = chain?.results[at];
      const breaks = chain?.breaks?.step === at ? chain.breaks : null;
      const mine = problems.steps.filter(({ step }) => step === at);
      const words = [...mine.map(({ message }) => message), ...(breaks ? [`needs a copy: ${breaks.reason}`] : [])];
      find(row, '.result', HTMLElement).textContent = result ? `→ ${resultText(result)}` : '';
      find(row, '.error', HTMLElement).textContent = words.join('; ');
      find(row, 'view-break', ViewBreak).show(breaks);
      for (const input of row.querySelectorAll('input')) {
        input.setAttribute('aria-invalid', String(mine.some(({ part }) => part === input.name)));
      }
    });
    const count = this.closest('details')?.querySelector('.count');
    // Until there is an answer, what the server wrote keeps its width.
    if (!count || (state.a.steps.trim() && !answers.a)) return;
    count.classList.toggle('error', problems.steps.length > 0);
    const words = summaryOf(chain ?? null, problems.steps);
    count.textContent = words && ` ${words}`;
  }
});

/**
 * @param {import('../../api/view-chain.js').ViewChain | null} chain
 * @param {readonly import('../../api/types.js').FieldProblem[]} problems
 */
function summaryOf(chain, problems) {
  if (!chain) return '';
  const wrong = problems.find(({ step }) => step !== undefined)?.step;
  if (wrong !== undefined) return `error in step ${wrong + 1}`;
  if (chain.breaks) return `copy at step ${chain.breaks.step + 1}`;
  return chain.results.length > 0 ? counted(chain.results.length, 'step') : '';
}

/** @param {EventTarget | null} target */
function placeOf(target) {
  const row = target instanceof Element ? target.closest('li') : null;
  return row?.parentElement ? [...row.parentElement.children].indexOf(row) : -1;
}

function options() {
  return Object.entries(STEP_OPS).map(([op, { call }]) => make('option', { value: op }, [call]));
}

/**
 * @param {StepText} step
 * @param {number} at
 */
function rowOf({ op }, at) {
  const id = `step-${at}`;
  const select = make('select', {}, options());
  const { parameters, lists } = STEP_OPS[op];
  const fields = parameters.map((name) =>
    make('label', lists.includes(name) ? { class: 'list' } : {}, [
      name,
      make('input', { type: 'text', name, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', 'aria-describedby': `${id}-error` }),
    ]),
  );
  return make('li', { 'data-op': op }, [
    make('div', { class: 'head' }, [
      select,
      make('button', { type: 'button', class: 'quiet', 'data-move': 'up' }, ['↑']),
      make('button', { type: 'button', class: 'quiet', 'data-move': 'down' }, ['↓']),
      make('button', { type: 'button', class: 'quiet', 'data-remove': '' }, ['×']),
    ]),
    make('div', { class: 'args' }, fields),
    make('p', { class: 'result mono' }),
    make('p', { class: 'error', id: `${id}-error` }),
    new ViewBreak(),
  ]);
}

/**
 * @param {Element} row
 * @param {StepText} step
 * @param {number} at
 * @param {number} count
 */
function fillRow(row, { op, args }, at, count) {
  const { call } = STEP_OPS[op];
  const step = `step ${at + 1}`;
  const select = find(row, 'select', HTMLSelectElement);
  select.value = op;
  select.setAttribute('aria-label', `What ${step} does`);
  for (const button of row.querySelectorAll('button')) {
    const { move } = button.dataset;
    button.setAttribute('aria-label', move ? `Move ${step}, ${call}, ${move}` : `Remove ${step}, ${call}`);
    button.disabled = move === 'up' ? at === 0 : move === 'down' && at === count - 1;
  }
  for (const input of row.querySelectorAll('input')) {
    // What is being typed stays as typed.
    const text = args[input.name] ?? '';
    if (input !== document.activeElement && input.value !== text) input.value = text;
    input.setAttribute('aria-label', `${input.name} of ${step}, ${call}`);
  }
}
