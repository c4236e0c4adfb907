import { advanced, scrubberAt, stepAt, typedStep } from '../../core/player/clock.js';
import { exactText } from '../../words/numbers.js';
import { make } from '../shared/part.js';
import { button, disable, draw, name } from '../shared/player/buttons.js';

/** @typedef {import('../../core/player/clock.js').Moment} Moment */
/** @typedef {number | 'all'} Speed steps a second; 'all' plays all steps in twenty seconds */
/**
 * The words of a player.
 * @typedef {object} PlayerLabels
 * @property {string} group
 * @property {string} play
 * @property {string} pause
 * @property {string} back
 * @property {string} forward
 * @property {string} scrubber
 * @property {string} step
 * @property {string} speed
 * @property {(step: bigint, steps: bigint) => string} at what stands at a step, for readers of screens
 */

/** @type {Readonly<PlayerLabels>} */
const LABELS = Object.freeze({
  group: 'Player',
  play: 'Play',
  pause: 'Pause',
  back: 'One step back',
  forward: 'One step forward',
  scrubber: 'Step, as a slider',
  step: 'Step',
  speed: 'Speed',
  at: (step, steps) => `step ${exactText(String(step))}, the last is ${exactText(String(steps - 1n))}`,
});

/** @type {readonly Speed[]} */
const SPEEDS = Object.freeze([0.5, 1, 2, 4, 8, 32, 128, 1024, 'all']);
/** Up to this speed the parts of a step can be followed; above it only whole steps are reported. */
const FASTEST_PARTS = 8;
const GLIDE_MS = 320;
const REDUCED = '(prefers-reduced-motion: reduce)';

/**
 * Play, pause, one step forward or back, a scrubber, a number that can be typed, and a speed, for any
 * number of steps. Properties: `steps`, `step`, `moment` (to read), `speed`, `playing`, `labels`, `keysIn`. A step
 * that is set from outside is reported by no event.
 *
 * Events, which bubble: `step` with a Moment as its detail, whenever the reader or the clock changes
 * the moment; `play`, `pause`; `speed`. In slow play the parts of a step are reported frame by frame,
 * from 0 to 1; under `prefers-reduced-motion` and in fast play only whole steps, with part 1.
 *
 * Keys, in the bar and in `keysIn`: space plays and pauses, comma and period go one step.
 */
export class PlayerBar extends HTMLElement {
  #stop = new AbortController();
  #request = 0;
  #last_ms = 0;
  #gliding = false;
  #playing = false;
  #steps = 0n;
  /** @type {Moment} */
  #moment = { step: 0n, part: 1 };
  /** @type {Speed} */
  #speed = 2;
  #labels = LABELS;
  /** What the controls show. */
  #shown = '';

  /** Where the keys work too, beside the bar: an element around it. @type {HTMLElement | null} */
  keysIn = null;

  #back = button('back');
  #play = button('play');
  #forward = button('forward');
  #scrubber = make('input', { type: 'range', min: '0', step: '1' });
  #typed = make('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'go' });
  #most = make('span', { class: 'most' });
  #step = make('label', { class: 'at' });
  #speeds = make('select');
  #speedLabel = make('label', { class: 'speed' });

  constructor() {
    super();
    this.#speeds.append(...SPEEDS.map((speed) => make('option', { value: String(speed) }, [speedText(speed)])));
  }

  connectedCallback() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.setAttribute('role', 'group');
    this.replaceChildren(
      make('span', { class: 'buttons' }, [this.#back, this.#play, this.#forward]),
      this.#scrubber,
      this.#step,
      this.#speedLabel,
    );
    this.#back.addEventListener('click', () => this.#by(-1n), { signal });
    this.#forward.addEventListener('click', () => this.#by(1n), { signal });
    this.#play.addEventListener('click', () => this.toggle(), { signal });
    this.#scrubber.addEventListener('input', () => this.#scrub(), { signal });
    this.#scrubber.addEventListener('keydown', (event) => this.#arrow(event), { signal });
    this.#typed.addEventListener('change', () => this.#type(), { signal });
    this.#speeds.addEventListener('change', () => this.#choose(), { signal });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#write();
    this.#show();
  }

  disconnectedCallback() {
    this.pause();
    this.#rest();
    this.#stop.abort();
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

  /** The present step, and the part of it that has passed: 1 at rest. */
  get moment() {
    return Object.freeze({ ...this.#moment });
  }

  get playing() {
    return this.#playing;
  }

  set playing(playing) {
    if (playing) this.play();
    else this.pause();
  }

  get speed() {
    return this.#speed;
  }

  set speed(speed) {
    this.#speed = SPEEDS.includes(speed) ? speed : 2;
    this.#speeds.value = String(this.#speed);
  }

  get labels() {
    return this.#labels;
  }

  /** @param {Partial<PlayerLabels>} labels */
  set labels(labels) {
    this.#labels = Object.freeze({ ...LABELS, ...labels });
    this.#shown = '';
    this.#write();
    this.#show();
  }

  /** Starts the clock; from the last step it begins again. */
  play() {
    if (this.#playing || this.#steps < 2n) return;
    this.#endGlide();
    this.#playing = true;
    if (this.#moment.step >= this.#steps - 1n) this.#moment = { step: 0n, part: 0 };
    this.#tell('play');
    this.#show();
    this.#run();
  }

  /** Stops the clock; a step that has begun is done at once. */
  pause() {
    if (!this.#playing) return;
    this.#playing = false;
    this.#rest();
    this.#tell('pause');
    this.#go({ ...this.#moment, part: 1 });
  }

  toggle() {
    if (this.#playing) this.pause();
    else this.play();
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

  #rest() {
    cancelAnimationFrame(this.#request);
    this.#request = 0;
  }

  #endGlide() {
    if (!this.#gliding) return;
    this.#gliding = false;
    this.#rest();
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
    const { ended, ...moment } = advanced(this.#moment, { steps: this.#steps, speed: this.#speed, passed_ms });
    const parts = this.#speed !== 'all' && this.#speed <= FASTEST_PARTS && !matchMedia(REDUCED).matches;
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

  /** @param {string} name */
  #tell(name) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true }));
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
    if (step === null) this.#show({ typed: true });
    else this.#go({ step, part: 1 });
    this.#show({ typed: true });
  }

  #choose() {
    const { value } = this.#speeds;
    this.#speed = value === 'all' ? 'all' : Number(value);
    this.#tell('speed');
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
    const within = this.contains(target) || this.keysIn?.contains(target);
    // A key of one character works only with the focus near (WCAG 2.1.4); space is none.
    if (!within && !(key === ' ' && target === document.body)) return;
    if (target.matches('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable]')) return;
    if (key === ' ') {
      if (target.matches('button, summary, input:not([type="range"])')) return;
      this.toggle();
    } else if (key === ',' || key === '.') {
      this.#by(key === '.' ? 1n : -1n);
    } else {
      return;
    }
    event.preventDefault();
  }

  #write() {
    const labels = this.#labels;
    this.setAttribute('aria-label', labels.group);
    name(this.#back, labels.back, ',');
    name(this.#forward, labels.forward, '.');
    this.#scrubber.setAttribute('aria-label', labels.scrubber);
    this.#step.replaceChildren(`${labels.step} `, this.#typed, this.#most);
    this.#speedLabel.replaceChildren(`${labels.speed} `, this.#speeds);
  }

  /** @param {{typed?: boolean}} [how] typed: also where the reader is typing */
  #show({ typed = false } = {}) {
    const { step } = this.#moment;
    // On the way from step to step nothing changes here.
    const shown = `${step} ${this.#steps} ${this.#playing} ${this.#speed}`;
    if (shown === this.#shown && !typed) return;
    this.#shown = shown;
    const none = this.#steps < 2n;
    const last = none ? 0n : this.#steps - 1n;
    for (const control of [this.#play, this.#scrubber, this.#typed, this.#speeds]) control.disabled = none;
    // A button that has the focus stays: a disabled one would lose it.
    const pressed = this.#playing ? 'pause' : 'play';
    disable(this.#back, none || step === 0n);
    disable(this.#forward, none || step >= last);
    if (this.#play.dataset.icon !== pressed) draw(this.#play, pressed);
    name(this.#play, this.#labels[pressed], 'space');
    const most = String(scrubberAt(last, this.#steps > 0n ? this.#steps : 1n));
    if (this.#scrubber.max !== most) this.#scrubber.max = most;
    this.#scrubber.value = String(scrubberAt(step, this.#steps > 0n ? this.#steps : 1n));
    this.#scrubber.setAttribute('aria-valuetext', this.#labels.at(step, this.#steps));
    this.#most.textContent = ` / ${exactText(String(last))}`;
    this.#typed.style.setProperty('width', `${Math.max(3, String(last).length) + 2}ch`);
    if (typed || document.activeElement !== this.#typed) this.#typed.value = String(step);
    if (this.#speeds.value !== String(this.#speed)) this.#speeds.value = String(this.#speed);
  }
}

/** @param {Speed} speed */
function speedText(speed) {
  return speed === 'all' ? 'all in 20 s' : `${exactText(speed)} / s`;
}

customElements.define('player-bar', PlayerBar);
