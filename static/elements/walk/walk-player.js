import { CALM_RATE, RATES, walkerOf } from '../../state/walker.js';
import { exactText } from '../../words/numbers.js';
import { orderChoices } from '../../words/walk.js';
import { ExplorerPart, find, make } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/walker.js').Walker} Walker */

const CALM = '(prefers-reduced-motion: reduce)';
/** What takes keys itself: text is typed there, or a key chooses. */
const TYPED = 'textarea, select, [contenteditable], input:not([type=range], [type=checkbox], [type=radio], [type=button], [type=file])';
/** What the space bar presses or opens. */
const PRESSED = 'button, summary, a[href], [role=button], [role=tab], [role=option], input:not([type=range])';

/** The player of the walk: play and pause, one step on and back, speed, a scrubber, the order. */
export class WalkPlayer extends ExplorerPart {
  #choices = '';

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const walker = walkerOf(session);
    walker.follow(signal);
    this.#watchMotion(walker, signal);
    const fill = () => this.#fill(session, walker);
    this.addEventListener('click', (event) => press(walker, event), { signal });
    const scrubber = find(this, '.scrubber', HTMLInputElement);
    scrubber.addEventListener(
      'input',
      () => {
        walker.pause();
        walker.go(Number(scrubber.value));
      },
      { signal },
    );
    const step = find(this, '.step', HTMLInputElement);
    step.addEventListener('change', () => this.#typed(walker, step), { signal });
    const order = find(this, '.order', HTMLSelectElement);
    order.addEventListener('change', () => walker.choose(order.value), { signal });
    const rate = find(this, '.rate', HTMLSelectElement);
    rate.addEventListener('change', () => (walker.rate = Number(rate.value)), { signal });
    document.addEventListener('keydown', (event) => key(session, walker, event), { signal });
    session.on(['walk', 'state', 'answer'], fill, signal);
    fill();
  }

  /**
   * Where the reader prefers no motion, there is one speed: a step a second.
   * @param {Walker} walker
   * @param {AbortSignal} signal
   */
  #watchMotion(walker, signal) {
    const query = matchMedia(CALM);
    const rate = find(this, '.rate', HTMLSelectElement);
    const apply = () => {
      walker.calm = query.matches;
      const rates = walker.calm ? [CALM_RATE] : RATES;
      rate.replaceChildren(...rates.map((one) => make('option', { value: String(one) }, [`${exactText(one)} / s`])));
      rate.value = String(walker.calm ? CALM_RATE : walker.rate);
    };
    query.addEventListener('change', apply, { signal });
    apply();
  }

  /**
   * @param {Walker} walker
   * @param {HTMLInputElement} step
   */
  #typed(walker, step) {
    const number = Number(step.value.replace(/[\s_,\u202f]/g, ''));
    walker.pause();
    if (step.value.trim() !== '' && Number.isFinite(number)) walker.go(number);
    step.value = exactText(walker.step);
  }

  /**
   * @param {Session} session
   * @param {Walker} walker
   */
  #fill(session, walker) {
    const { walk, playing, step } = walker;
    this.hidden = session.state.walk === null;
    if (this.hidden) return;
    const last = walk ? walk.steps - 1 : 0;
    const scrubber = find(this, '.scrubber', HTMLInputElement);
    scrubber.max = String(last);
    scrubber.value = String(step);
    scrubber.setAttribute('aria-valuetext', `step ${exactText(step)} of ${exactText(last)}`);
    const typed = find(this, '.step', HTMLInputElement);
    if (document.activeElement !== typed) typed.value = exactText(step);
    find(this, '.last', HTMLElement).textContent = `of ${exactText(last)}`;
    const play = find(this, '[data-walk=play]', HTMLButtonElement);
    const name = playing ? 'Pause' : 'Play';
    if (play.getAttribute('aria-label') !== name) {
      play.setAttribute('aria-label', name);
      play.title = `${name} (space)`;
    }
    this.classList.toggle('playing', playing);
    for (const control of this.querySelectorAll('.transport button, .scrubber, .step')) {
      control.toggleAttribute('disabled', walk === null);
    }
    this.#fillOrder(session);
  }

  /** @param {Session} session */
  #fillOrder({ state, answers }) {
    const select = find(this, '.order', HTMLSelectElement);
    const order = state.walk?.order ?? '';
    const choices = orderChoices(answers.a?.tensor?.dims ?? [], answers.b !== null, order);
    const known = JSON.stringify(choices);
    if (known !== this.#choices) {
      this.#choices = known;
      select.replaceChildren(...choices.map(([value, text]) => make('option', { value }, [text])));
    }
    if (select.value !== order) select.value = order;
  }
}

/**
 * @param {Walker} walker
 * @param {Event} event
 */
function press(walker, event) {
  const button = event.target instanceof Element ? event.target.closest('button[data-walk]') : null;
  const what = button instanceof HTMLElement ? button.dataset.walk : undefined;
  if (what === 'back') walker.by(-1);
  if (what === 'on') walker.by(1);
  if (what === 'play') walker.toggle();
  if (what === 'close') {
    walker.close();
    find(document, 'walk-button button', HTMLButtonElement).focus();
  }
}

/**
 * Space plays and pauses, comma and period go one step back and on, while the player is shown. Fields, and
 * buttons under the keyboard, keep their keys.
 * @param {Session} session
 * @param {Walker} walker
 * @param {KeyboardEvent} event
 */
function key(session, walker, event) {
  if (!session.state.walk || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPED)) return;
  if (event.key === ',') walker.by(-1);
  else if (event.key === '.') walker.by(1);
  else if (event.key === ' ' && !target?.closest(PRESSED)) {
    if (!event.repeat) walker.toggle();
  } else return;
  event.preventDefault();
}

customElements.define('walk-player', WalkPlayer);
