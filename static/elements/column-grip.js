const KEY = 'stridescope.column';
const STEP_PX = 16;
const LEAST_PX = 200;
const MOST_SHARE = 0.5;

/** The edge between column and stage: dragged or moved by the arrow keys, it sets the width of the column, which the browser keeps. */
export class ColumnGrip extends HTMLElement {
  connectedCallback() {
    this.addEventListener('pointerdown', this.#press);
    this.addEventListener('keydown', this.#key);
    this.addEventListener('dblclick', () => this.#set(null));
    const kept = Number(stored());
    if (kept > 0) this.#set(kept);
    else this.#tell();
  }

  get #page() {
    return this.closest('.page') instanceof HTMLElement ? /** @type {HTMLElement} */ (this.closest('.page')) : null;
  }

  /** @returns {Element} */
  get #column() {
    return this.#page?.querySelector(':scope > .column') ?? this;
  }

  /** @param {number | null} wished in CSS pixels; null for the usual width */
  #set(wished) {
    const width = wished === null ? null : Math.round(Math.max(LEAST_PX, Math.min(wished, innerWidth * MOST_SHARE)));
    if (width === null) this.#page?.style.removeProperty('--column');
    else this.#page?.style.setProperty('--column', `${width}px`);
    stored(width === null ? '' : String(width));
    this.#tell();
  }

  #tell() {
    this.setAttribute('aria-valuemin', String(LEAST_PX));
    this.setAttribute('aria-valuemax', String(Math.round(innerWidth * MOST_SHARE)));
    this.setAttribute('aria-valuenow', String(Math.round(this.#column.clientWidth)));
  }

  #press = (/** @type {PointerEvent} */ event) => {
    event.preventDefault();
    this.focus();
    this.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ { clientX }) => this.#set(clientX - this.#column.getBoundingClientRect().left);
    this.addEventListener('pointermove', move);
    this.addEventListener('lostpointercapture', () => this.removeEventListener('pointermove', move), { once: true });
  };

  #key = (/** @type {KeyboardEvent} */ event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#set(this.#column.getBoundingClientRect().width + step);
  };
}

/**
 * @param {string} [width] to be kept
 * @returns {string} what is kept; storage may be forbidden
 */
function stored(width) {
  try {
    if (width !== undefined) localStorage.setItem(KEY, width);
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

customElements.define('column-grip', ColumnGrip);
