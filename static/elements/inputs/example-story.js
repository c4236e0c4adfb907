import { FIRST, PRESET_GROUPS, PRESETS } from '../../state/presets.js';
import { isDrawnAsTold, storyOf } from '../../state/story.js';
import { lowered } from '../../words/story/lowered.js';
import { seenText } from '../../words/story/seen.js';
import { NARROW } from '../shared/page/root.js';
import { ExplorerPart, find, unfold } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */
/** @import { Preset } from '../../state/presets.js' */

/**
 * What an example teaches, one thing to try on it, what was seen when it was tried, and the way to the next one. Of a
 * tensor of one's own: where a cell of it lies, and the way back to the last example.
 */
customElements.define('example-story', class ExampleStory extends ExplorerPart {
  /** The last one that was shown. @type {Preset} */
  #preset = FIRST;
  /** Its title while it is worth going back to: it was shown, and no text was pasted since. */
  #left = '';
  #pressed = false;

  /** @override */
  start() {
    this.press('.previous', () => this.#go(-1));
    this.press('.following', () => this.#go(1));
    this.press('.next', () => this.#go(this.session.story ? 1 : 0));
    this.press('.try', () => {
      this.parentElement?.scrollTo({ top: 0 });
      // Another button than the one to press may have led away from the picture.
      if ((this.#preset.show ?? '') !== this.session.state.show) this.#go(0);
      leadTo(this.#preset);
    });
    this.press('.back', () => {
      this.#go(0);
      find(this, '.try', HTMLButtonElement).focus();
    });
    // It shrinks when a field is left, by a press too: what lies below must not move before that press ends.
    this.listen(document, 'pointerdown', () => (this.#pressed = true));
    for (const end of /** @type {const} */ (['pointerup', 'pointercancel'])) {
      this.listen(document, end, () => {
        this.#pressed = false;
        if (!this.session.story) setTimeout(() => this.#show());
      });
    }
    this.follow(['story', 'slice', 'selected', 'answer', 'problem', 'state'], () => this.#show());
  }

  /** @param {number} steps */
  #go(steps) {
    const preset = PRESETS[PRESETS.indexOf(this.#preset) + steps];
    if (preset) this.session.open(preset);
  }

  #show() {
    const { story, state } = this.session;
    // A layout to compare with takes nothing away from the example.
    const beside = story || !state.b ? story : storyOf({ ...state, b: null });
    const preset = beside?.preset ?? this.#preset;
    if (this.#pressed && !story) return;
    const same = story !== null && preset === this.#preset && !this.page.classList.contains('own');
    // Until its trial is done its height never shrinks: what lies below must not move with each letter.
    this.style.minHeight = same && story.stage !== 'done' ? `${this.offsetHeight}px` : '';
    this.#preset = preset;
    this.#left = this.session.taken ? '' : (story?.preset.title ?? this.#left);
    this.page.classList.toggle('own', !story);
    const untried = story && story.stage !== 'done';
    const group = PRESET_GROUPS.find(({ presets }) => presets.includes(preset));
    const at = PRESETS.indexOf(preset);
    const part = PRESET_GROUPS.find(({ presets }) => presets[0] === PRESETS[at + 1]);
    this.say('.learn', story && group ? `${group.learn}, ` : '');
    this.say('.nth', story && group ? `${group.presets.indexOf(preset) + 1} of ${group.presets.length}` : '');
    this.say('.title', beside ? preset.title : 'Your own tensor');
    const told = { begun: preset.see, underway: '', done: preset.trial.see };
    this.say('.see', story && isDrawnAsTold(story, state) ? told[story.stage] : '');
    // After another change than the one asked for it says what changed.
    this.say('.seen', story?.stage === 'begun' && isDrawnAsTold(story, state) ? '' : seenOf(this.session));
    this.say('.try span', untried ? `Try it: ${lowered(preset.trial.say)}` : '');
    const next = part ? `Next part: ${part.learn}` : at + 1 < PRESETS.length ? `Next: ${PRESETS[at + 1].title}` : '';
    const { layout } = preset.trial.done;
    this.say('.back span', story && story.stage !== 'begun' ? `Back to ${layout && !preset.show ? preset.a.layout : 'the example'}` : '');
    this.say('.next span', story ? next : this.#left && `Back to: ${this.#left}`);
    for (const selector of ['.try', '.back', '.next']) find(this, selector, HTMLElement).hidden = find(this, `${selector} span`, HTMLElement).textContent === '';
    find(this, '.previous', HTMLButtonElement).disabled = at === 0;
    find(this, '.following', HTMLButtonElement).disabled = next === '';
  }
});

/** @param {Session} session */
function seenOf({ story, state, answers, stale, selected, sliced }) {
  if (!answers.a || stale.a || (state.b && stale.b)) return '';
  const b = state.b ? answers.b : null;
  const begins = story !== null && PRESET_GROUPS[0].presets.includes(story.preset);
  return seenText(story?.before ?? null, answers.a, { selected, b, offsets: story && state.a.slice && sliced ? sliced.offsets : null, properties: !begins });
}

/**
 * Presses the button of a trial, or goes to the field that it changes, or else to the memory.
 * @param {Preset} preset
 */
function leadTo({ show, trial }) {
  if (show === 'memories') {
    find(document, `three-memories [data-layout="${trial.done.layout}"]`, HTMLButtonElement).click();
    return;
  }
  const fields = Object.keys(trial.done).map((name) => document.getElementById(name === 'b' ? 'b-layout' : `a-${name}`));
  const field = fields.find((one) => one instanceof HTMLInputElement);
  if (!field) {
    find(document, 'memory-view[side=a] canvas', HTMLCanvasElement).focus();
    return;
  }
  unfold(field);
  field.closest('tensor-field, layout-field')?.scrollIntoView({ block: matchMedia(NARROW).matches ? 'start' : 'center' });
  field.focus({ preventScroll: true });
  field.select();
}
