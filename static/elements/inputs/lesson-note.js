import { NARROW } from '../shared/page/root.js';
import { ExplorerPart, find, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/lessons.js').Lesson} Lesson */

/** What an example shows, one thing to try on it, and what there is to see after it was tried. */
export class LessonNote extends ExplorerPart {
  /** @type {Lesson['preset'] | null} */
  #preset = null;

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    session.on('lesson', () => this.#show(session), signal);
    this.#show(session);
  }

  /** @param {Session} session */
  #show({ lesson }) {
    const preset = lesson?.preset ?? null;
    // Within a lesson the note never becomes lower: the field that is being typed into must not move.
    this.style.minHeight = preset !== null && preset === this.#preset ? `${this.offsetHeight}px` : '';
    if (preset !== this.#preset) for (const one of document.querySelectorAll('.tried')) one.classList.remove('tried');
    this.#preset = preset;
    const trial = preset?.trial;
    const see = { begun: preset?.see, underway: '', done: trial?.see };
    find(this, '.see', HTMLElement).textContent = (lesson && see[lesson.stage]) ?? '';
    const words = trial && lesson?.stage !== 'done' ? [leadTo(Object.keys(trial.done)), `: ${lowered(trial.say)}`] : [];
    find(this, '.try', HTMLElement).replaceChildren(...words);
    this.hidden = preset === null;
  }
}

/**
 * The words "Try it": a button that leads to the field, where one is to be typed into.
 * @param {readonly string[]} changed names of what the trial changes
 */
function leadTo(changed) {
  const fields = changed.map((name) => document.getElementById(name === 'b' ? 'b-layout' : `a-${name}`));
  const field = fields.find((one) => one instanceof HTMLInputElement);
  if (!field) return 'Try it';
  const button = make('button', { type: 'button', class: 'quiet' }, ['Try it']);
  button.addEventListener('click', () => {
    for (let fold = field.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true;
    // On a small screen the other fields are hidden while it is tried: the grids stay in view.
    const narrow = matchMedia(NARROW).matches;
    const whole = field.closest('tensor-field, layout-field');
    if (narrow) for (const one of [field.form, whole]) one?.classList.add('tried');
    whole?.scrollIntoView({ block: narrow ? 'start' : 'center' });
    field.focus({ preventScroll: true });
    field.select();
  });
  return button;
}

/**
 * A sentence as it continues after a colon. A word in capitals, such as NHWC, stays.
 * @param {string} sentence
 */
function lowered(sentence) {
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}

customElements.define('lesson-note', LessonNote);
