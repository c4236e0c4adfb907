import { advanced, scrubberAt, stepAt, typedStep } from '../../core/player/clock.js';
import { exactText } from '../../words/numbers.js';
import { find, Part, write } from '../shared/part.js';

/** @import { Moment } from '../../core/player/clock.js' */

/** Up to this speed the parts of a step can be followed; above it only whole steps are reported. */
const FASTEST_PARTS = 8;
const GLIDE_MS = 320;
const REDUCED = '(prefers-reduced-motion: reduce)';

/**
 * Play, pause, one step forward or back, a scrubber, a number that can be typed, and a speed, for any
 * number of steps. Its controls are those of `player` in templates/controls.html; `steps` and `step` are set. A step that
 * is set from outside is reported by no event.
 *
 * Events: `step` with a Moment as its detail, whenever the reader or the clock changes the moment; `play`, `pause`. In
 * slow play the parts of a step are reported frame by frame, from 0 to 1; under `prefers-reduced-motion` and in fast
 * play only whole steps, with part 1.
 *
 * Keys, in the stage around it: space plays and pauses, comma and period go one step.
 * @extends {Part<unknown>}
 */
export class PlayerBar extends Part {
  #request = 0;
  #last_ms = 0;
  #gliding = false;
  #playing = false;
  #steps = 0n;
  /** @type {Moment} */
  #moment = { step: 0n, part: 1 };
  /** What the controls show. */
  #shown = '';

  #back = find(this, '.back', HTMLButtonElement);
  #play = find(this, '.play', HTMLButtonElement);
  #forward = find(this, '.forward', HTMLButtonElement);
  #scrubber = find(this, '[type=range]', HTMLInputElement);
  #typed = find(this, '[type=text]', HTMLInputElement);
  #speeds = find(this, 'select', HTMLSelectElement);

  /** @override */
  start() {
    this.listen(this.#back, 'click', () => this.#by(-1n));
    this.listen(this.#forward, 'click', () => this.#by(1n));
    this.listen(this.#play, 'click', () => this.#toggle());
    this.listen(this.#scrubber, 'input', () => this.#scrub());
    this.listen(this.#scrubber, 'keydown', (event) => this.#arrow(event));
    this.listen(this.#typed, 'change', () => this.#type());
    this.listen(document, 'keydown', (event) => this.#key(event));
    this.#show();
  }

  /** @override */
  disconnectedCallback() {
    this.pause();
    this.#endGlide();
    super.disconnectedCallback();
  }

  /** How many steps there are; they are numbered from 0. */
  get steps() {
    return this.#steps;
  }

  set steps(steps) {
    if (steps === this.#steps) return;
    this.#steps = steps;
    const most = steps > 0n ? steps - 1n : 0n;
    if (this.#moment.step > most) this.#moment = { step: most, part: 1 };
    if (steps < 2n) this.pause();
    this.#show();
  }

  get step() {
    return this.#moment.step;
  }

  set step(step) {
    const most = this.#steps > 0n ? this.#steps - 1n : 0n;
    const held = step < 0n ? 0n : step > most ? most : step;
    if (held === this.#moment.step) return;
    this.#endGlide();
    this.#moment = { step: held, part: 1 };
    this.#show();
  }

  /** Starts the clock; from the last step it begins again. */
  #start() {
    if (this.#playing || this.#steps < 2n) return;
    this.#endGlide();
    this.#playing = true;
    if (this.#moment.step >= this.#steps - 1n) this.#moment = { step: 0n, part: 0 };
    this.dispatchEvent(new Event('play'));
    this.#show();
    this.#run();
  }

  /** Stops the clock; a step that has begun is done at once. */
  pause() {
    if (!this.#playing) return;
    this.#playing = false;
    cancelAnimationFrame(this.#request);
    this.dispatchEvent(new Event('pause'));
    this.#go({ ...this.#moment, part: 1 });
  }

  #toggle() {
    if (this.#playing) this.pause();
    else this.#start();
  }

  /** @param {bigint} by one step forward or back; forward shows the way, too */
  #by(by) {
    this.pause();
    this.#endGlide();
    const step = this.#moment.step + by;
    if (step < 0n || step >= this.#steps) return;
    if (by < 0n || matchMedia(REDUCED).matches) {
      this.#go({ step, part: 1 });
      return;
    }
    this.#gliding = true;
    this.#go({ step, part: 0 });
    this.#run();
  }

  #run() {
    this.#last_ms = performance.now();
    this.#request = requestAnimationFrame((now) => this.#frame(now));
  }

  #endGlide() {
    if (!this.#gliding) return;
    this.#gliding = false;
    cancelAnimationFrame(this.#request);
    this.#moment = { ...this.#moment, part: 1 };
  }

  /** @param {number} now_ms */
  #frame(now_ms) {
    const passed_ms = Math.max(0, now_ms - this.#last_ms);
    this.#last_ms = now_ms;
    if (this.#gliding) {
      const part = Math.min(1, this.#moment.part + passed_ms / GLIDE_MS);
      this.#gliding = part < 1;
      this.#go({ step: this.#moment.step, part });
    } else {
      this.#playOn(passed_ms);
    }
    if (this.#gliding || this.#playing) this.#request = requestAnimationFrame((now) => this.#frame(now));
  }

  /** @param {number} passed_ms */
  #playOn(passed_ms) {
    const { step: before } = this.#moment;
    const { value } = this.#speeds;
    const speed = value === 'all' ? value : Number(value);
    const { ended, ...moment } = advanced(this.#moment, { steps: this.#steps, speed, passed_ms });
    const parts = speed !== 'all' && speed <= FASTEST_PARTS && !matchMedia(REDUCED).matches;
    this.#moment = moment;
    if (parts || moment.step !== before) this.#say(parts ? moment : { ...moment, part: 1 });
    if (ended) this.pause();
    else this.#show();
  }

  /** @param {Moment} moment */
  #go(moment) {
    this.#moment = moment;
    this.#show();
    this.#say(moment);
  }

  /** @param {Moment} moment */
  #say(moment) {
    this.dispatchEvent(new CustomEvent('step', { bubbles: true, detail: moment }));
  }

  #scrub() {
    this.pause();
    this.#endGlide();
    this.#go({ step: stepAt(Number(this.#scrubber.value), this.#steps), part: 1 });
  }

  #type() {
    const step = typedStep(this.#typed.value, this.#steps);
    this.pause();
    this.#endGlide();
    if (step !== null) this.#go({ step, part: 1 });
    this.#show({ typed: true });
  }

  /** An arrow moves by one step, where the scrubber itself can be coarser. @param {KeyboardEvent} event */
  #arrow(event) {
    const by = { ArrowRight: 1n, ArrowUp: 1n, ArrowLeft: -1n, ArrowDown: -1n }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#by(by);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { target, key } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || this.#steps === 0n) return;
    if (!(target instanceof Element) || !this.checkVisibility()) return;
    const within = this.closest('main')?.contains(target);
    // A key of one character works only with the focus near (WCAG 2.1.4); space is none.
    if (!within && !(key === ' ' && target === document.body)) return;
    if (target.matches('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable]')) return;
    if (key === ' ') {
      if (target.matches('button, summary, input:not([type="range"])')) return;
      this.#toggle();
    } else if (key === ',' || key === '.') {
      this.#by(key === '.' ? 1n : -1n);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @param {{typed?: boolean}} [how] typed: also where the reader is typing */
  #show({ typed = false } = {}) {
    const { step } = this.#moment;
    // On the way from step to step nothing changes here.
    const shown = `${step} ${this.#steps} ${this.#playing}`;
    if (shown === this.#shown && !typed) return;
    this.#shown = shown;
    const none = this.#steps < 2n;
    const last = none ? 0n : this.#steps - 1n;
    for (const control of [this.#play, this.#scrubber, this.#typed, this.#speeds]) control.disabled = none;
    // A button that has the focus stays: a disabled one would lose it.
    this.#back.ariaDisabled = String(none || step === 0n);
    this.#forward.ariaDisabled = String(none || step >= last);
    const named = this.#playing ? 'Pause' : 'Play';
    this.#play.classList.toggle('playing', this.#playing);
    this.#play.ariaLabel = named;
    this.#play.title = `${named} (space)`;
    const most = String(scrubberAt(last, this.#steps > 0n ? this.#steps : 1n));
    if (this.#scrubber.max !== most) this.#scrubber.max = most;
    this.#scrubber.value = String(scrubberAt(step, this.#steps > 0n ? this.#steps : 1n));
    this.#scrubber.ariaValueText = `step ${exactText(String(step))}, the last is ${exactText(String(this.#steps - 1n))}`;
    write(find(this, '.most', HTMLElement), ` / ${exactText(String(last))}`);
    this.#typed.style.setProperty('width', `${Math.max(3, String(last).length) + 2}ch`);
    if (typed || document.activeElement !== this.#typed) this.#typed.value = String(step);
  }
}

customElements.define('player-bar', PlayerBar);
