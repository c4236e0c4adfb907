import { hold } from '../pointer/hold.js';
import { make, write } from '../part.js';

/** @import { Cut } from '../../../core/slice/cuts.js' */
/** @typedef {'start' | 'end' | 'stride'} Part */

/**
 * Where the indices of a dimension lie along a line, in CSS pixels.
 * @typedef {object} Scale
 * @property {number} first_css edge of index 0
 * @property {number} cell_css from one index to the next
 * @property {number} least_css grips stay from here
 * @property {number} most_css to here
 */

const PARTS = /** @type {const} */ (['start', 'end', 'stride']);
/** Page Up and Page Down move by this part of the dimension. */
const PAGE = 10;

/**
 * The three grips of one dimension of a slice: where it starts, where it ends, its stride. Each is a slider for
 * the pointer, for touch and for the keyboard; each stops at the others.
 */
export class GripTrack {
  #scale = /** @type {Scale} */ ({ first_css: 0, cell_css: 1, least_css: 0, most_css: 1 });
  /** @type {Cut} */
  #cut = { low: 0, high: 1, step: 1, index: false };
  #grips;
  #bar;

  /**
   * @param {HTMLElement} root of the grips
   * @param {{name: string, size: number, vertical: boolean}} dimension
   * @param {(change: Partial<Cut>, first: boolean) => void} take what a grip was moved to; first: since it was taken
   * @param {AbortSignal} signal
   */
  constructor(root, dimension, take, signal) {
    this.#dimension = dimension;
    this.#take = take;
    const { name, vertical } = dimension;
    this.#bar = make('div', { class: 'reach', 'aria-hidden': 'true', 'data-name': name });
    this.#grips = Object.fromEntries(
      PARTS.map((part) => {
        const orientation = vertical ? 'vertical' : 'horizontal';
        const grip = make('div', { role: 'slider', tabindex: '0', class: `grip ${part}`, 'aria-label': `${name} ${part}`, 'aria-orientation': orientation });
        this.#watch(grip, part, signal);
        return [part, grip];
      }),
    );
    root.classList.add('track');
    root.classList.toggle('vertical', vertical);
    root.replaceChildren(this.#bar, ...Object.values(this.#grips));
  }

  #dimension;
  #take;

  /**
   * @param {Cut} cut
   * @param {Scale} scale
   */
  show(cut, scale) {
    this.#cut = cut;
    this.#scale = scale;
    const { low, high, step, index } = cut;
    const { size } = this.#dimension;
    for (const part of PARTS) {
      const grip = this.#grips[part];
      const { least, most, now } = rangeOf(part, cut, size);
      grip.setAttribute('aria-valuemin', String(least));
      grip.setAttribute('aria-valuemax', String(most));
      grip.setAttribute('aria-valuenow', String(now));
      grip.setAttribute('aria-valuetext', textOf(part, cut));
      const text = part === 'stride' ? String(step).replace('-', '−') : String(part === 'start' ? low : high);
      write(grip, text);
      grip.style.setProperty('--at', `${this.#placeOf(part)}px`);
    }
    this.#grips.stride.hidden = index;
    this.#bar.style.setProperty('--at', `${this.#edge(low)}px`);
    this.#bar.style.setProperty('--long', `${Math.max(0, this.#edge(high) - this.#edge(low))}px`);
  }

  /** @param {number} index */
  #edge(index) {
    const { first_css, cell_css, least_css, most_css } = this.#scale;
    return Math.max(least_css, Math.min(most_css, first_css + index * cell_css));
  }

  /** @param {Part} part */
  #placeOf(part) {
    const { low, high, step } = this.#cut;
    if (part !== 'stride') return this.#edge(part === 'start' ? low : high);
    // In the middle of the second index that is taken, or would be.
    return this.#edge(Math.max(0, Math.min(this.#dimension.size - 1, anchorOf(this.#cut) + step)) + 0.5);
  }

  /**
   * @param {HTMLElement} grip
   * @param {Part} part
   * @param {AbortSignal} signal
   */
  #watch(grip, part, signal) {
    let first = true;
    grip.addEventListener('focus', () => (first = true), { signal });
    /** @param {number} value */
    const move = (value) => {
      const change = changeOf(part, value, this.#cut, this.#dimension.size);
      if (!change) return;
      this.#take(change, first);
      first = false;
    };
    grip.addEventListener('keydown', (event) => this.#key(event, part, move), { signal });
    const take = (/** @type {PointerEvent} */ down) => {
      if (down.button !== 0) return;
      down.preventDefault();
      grip.focus({ preventScroll: true });
      first = true;
      const at = (/** @type {PointerEvent} */ event) => (this.#dimension.vertical ? event.clientY : event.clientX);
      const from_css = this.#placeOf(part) - at(down);
      // Where the indices lay when it was taken: the grid of the slice comes with the first change, and moves this one aside.
      const { first_css, cell_css } = this.#scale;
      // The stride counts from where the slice begins now: beyond that it runs the other way.
      const anchor = anchorOf(this.#cut);
      const follow = (/** @type {PointerEvent} */ event) => {
        const place = (at(event) + from_css - first_css) / cell_css;
        move(part === 'stride' ? Math.floor(place) - anchor : Math.round(place));
      };
      hold(grip, down, follow, signal);
    };
    grip.addEventListener('pointerdown', take, { signal });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Part} part
   * @param {(value: number) => void} move
   */
  #key(event, part, move) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { size, vertical } = this.#dimension;
    const { least, most, now } = rangeOf(part, this.#cut, size);
    const page = Math.max(2, Math.round(size / PAGE));
    // Along the left edge the indices grow downwards, and so the keys.
    const up = vertical ? -1 : 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowRight: now + 1, ArrowLeft: now - 1, ArrowUp: now + up, ArrowDown: now - up,
      PageUp: now + up * page, PageDown: now - up * page, Home: least, End: most,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    move(part === 'stride' && target === 0 ? (now > 0 ? -1 : 1) : target);
  }
}

/**
 * @param {Part} part
 * @param {Cut} cut
 * @param {number} size
 */
function rangeOf(part, { low, high, step, index }, size) {
  const most = Math.max(1, size - 1);
  if (part === 'start') return { least: 0, most: index ? size - 1 : Math.max(0, high - 1), now: low };
  if (part === 'end') return { least: low + 1, most: size, now: Math.max(high, low + 1) };
  return { least: Math.min(-most, step), most: Math.max(most, step), now: step };
}

/**
 * @param {Part} part
 * @param {number} value
 * @param {Cut} cut
 * @param {number} size
 * @returns {Partial<Cut> | null} null where it changes nothing
 */
function changeOf(part, value, cut, size) {
  const { least, most, now } = rangeOf(part, cut, size);
  const next = Math.max(least, Math.min(most, value));
  if (next === now || (part === 'stride' && next === 0)) return null;
  if (part === 'stride') return { step: next };
  if (part === 'end') return { high: next, index: false };
  return cut.index ? { low: next, high: next + 1 } : { low: next };
}

/** @param {Cut} cut @returns {number} the first index that is taken */
function anchorOf({ low, high, step }) {
  return step > 0 ? low : high - 1;
}

/**
 * @param {Part} part
 * @param {Cut} cut
 */
function textOf(part, { low, high, step, index }) {
  if (part === 'start') return index ? `index ${low}` : `from ${low}`;
  if (part === 'end') return `to before ${high}`;
  const each = Math.abs(step) === 1 ? 'each index' : `one of ${Math.abs(step)} indices`;
  return step < 0 ? `${each}, backwards` : each;
}
