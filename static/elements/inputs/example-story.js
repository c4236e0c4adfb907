import { PRESET_GROUPS, PRESETS } from '../../state/presets.js';
import { isDrawnAsTold } from '../../state/story.js';
import { seenText } from '../../words/story/seen.js';
import { NARROW } from '../shared/page/root.js';
import { ExplorerPart, find, unfold } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Preset } from '../../state/presets.js' */

/** What an example teaches, one thing to try on it, what was seen when it was tried, and the way to the next one. */
customElements.define('example-story', class ExampleStory extends ExplorerPart {
  /** @type {Preset | null} */
  #preset = null;
  #pressed = false;

  /** @override */
  start() {
    this.press('.previous', () => this.#go(-1));
    this.press('.following', () => this.#go(1));
    this.press('.next', () => this.#go(1));
    this.press('.try', () => this.#preset && leadTo(this.#preset));
    // On a small screen it is one line, and the whole of it where it is pressed.
    this.listen(find(this, '.see', HTMLElement), 'click', () => find(this, '.see', HTMLElement).classList.toggle('whole'));
    // It hides when a field is left, by a press too: what lies below must not move before that press ends.
    this.listen(document, 'pointerdown', () => (this.#pressed = true));
    for (const end of /** @type {const} */ (['pointerup', 'pointercancel'])) {
      this.listen(document, end, () => {
        this.#pressed = false;
        if (!this.session.story) setTimeout(() => this.#show());
      });
    }
    this.follow(['story', 'slice', 'selected', 'answer', 'state'], () => this.#show());
  }

  /** @param {number} steps */
  #go(steps) {
    const preset = this.#preset && PRESETS[PRESETS.indexOf(this.#preset) + steps];
    if (preset) this.session.open(preset);
  }

  #show() {
    const { story, state } = this.session;
    const preset = story?.preset ?? null;
    if (this.#pressed && preset === null) return;
    this.hidden = preset === null;
    // Within a story its height never shrinks: the field that is being typed into must not move.
    this.style.minHeight = preset !== null && preset === this.#preset ? `${this.offsetHeight}px` : '';
    if (preset !== this.#preset) for (const one of document.querySelectorAll('.tried')) one.classList.remove('tried');
    if (preset !== this.#preset) find(this, '.see', HTMLElement).classList.remove('whole');
    this.#preset = preset;
    if (!story || !preset) return;
    const done = story.stage === 'done';
    const group = PRESET_GROUPS.find(({ presets }) => presets.includes(preset));
    const [at, { length }] = [PRESETS.indexOf(preset), PRESETS];
    this.say('.group', group ? `${group.learn}, ${group.presets.indexOf(preset) + 1} of ${group.presets.length}` : '');
    this.say('.title', preset.title);
    const told = { begun: preset.see, underway: '', done: preset.trial.see };
    this.say('.see', isDrawnAsTold(story, state) ? told[story.stage] : '');
    this.say('.seen', done ? seenOf(this.session) : '');
    this.say('.try span', done ? '' : `Try it: ${lowered(preset.trial.say)}`);
    this.say('.next span', at + 1 < length ? `Next: ${PRESETS[at + 1].title}` : '');
    for (const selector of ['.try', '.next']) find(this, selector, HTMLElement).hidden = find(this, `${selector} span`, HTMLElement).textContent === '';
    find(this, '.previous', HTMLButtonElement).disabled = at === 0;
    find(this, '.following', HTMLButtonElement).disabled = at + 1 === length;
  }
});

/** @param {Session} session */
function seenOf({ story, state, answers, selected, sliced }) {
  if (!answers.a) return '';
  const b = 'b' in (story?.preset.trial.done ?? {}) ? answers.b : null;
  return seenText(story?.before ?? null, answers.a, { selected, b, offsets: state.a.slice && sliced ? sliced.offsets : null });
}

/**
 * Goes to the button or the field that a trial changes, or else to the memory.
 * @param {Preset} preset
 */
function leadTo({ show, trial }) {
  if (show === 'memories') {
    find(document, `three-memories [data-layout="${trial.done.layout}"]`, HTMLButtonElement).focus();
    return;
  }
  const fields = Object.keys(trial.done).map((name) => document.getElementById(name === 'b' ? 'b-layout' : `a-${name}`));
  const field = fields.find((one) => one instanceof HTMLInputElement);
  if (!field) {
    find(document, 'memory-view[side=a] canvas', HTMLCanvasElement).focus();
    return;
  }
  unfold(field);
  // On a small screen its list of names is short while it is tried: the grids stay in view.
  const narrow = matchMedia(NARROW).matches;
  const whole = field.closest('tensor-field, layout-field');
  if (narrow) for (const one of [field.form, whole]) one?.classList.add('tried');
  whole?.scrollIntoView({ block: narrow ? 'start' : 'center' });
  field.focus({ preventScroll: true });
  field.select();
}

/**
 * A sentence as it continues after a colon. A word in capitals, such as NHWC, stays.
 * @param {string} sentence
 */
function lowered(sentence) {
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}
