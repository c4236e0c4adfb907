import { hold } from './shared/pointer/hold.js';
import { kept } from './shared/page/kept.js';

/** In percent of the room that the panels share. */
const STEP = 2;
/**
 * The panels between which there is an edge: the first one, whose share the edge sets, and what shares the room with it.
 * @type {Readonly<Record<string, {first: string, all: readonly string[], along: 'width' | 'height', from: 'left' | 'top', least: number, most: number}>>}
 */
const EDGES = Object.freeze({
  column: { first: '.page > .column', all: ['.page'], along: 'width', from: 'left', least: 14, most: 50 },
  upper: { first: '.uppers', all: ['.uppers', '.memories'], along: 'height', from: 'top', least: 10, most: 85 },
});
/** @type {Readonly<Record<string, number>>} */
const STEPS = Object.freeze({ ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP });

/**
 * The edge between two panels, as in the ARIA practices: dragged or moved by the arrow keys, it sets the share of the first one,
 * which the browser keeps. A double press brings the usual share back.
 */
customElements.define('panel-grip', class PanelGrip extends HTMLElement {
  connectedCallback() {
    this.addEventListener('pointerdown', this.#press);
    this.addEventListener('keydown', this.#key);
    this.addEventListener('focus', this.#tell);
    this.addEventListener('dblclick', () => this.#set(null));
    const share = Number(kept(this.#storedAs));
    if (share > 0) this.#set(share);
    else this.#tell();
  }

  get #name() {
    return this.getAttribute('name') ?? 'column';
  }

  get #storedAs() {
    return `${this.#name}-share`;
  }

  /** @param {string} selector @returns {DOMRect} of nothing where the page lacks it */
  #box(selector) {
    return document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  }

  /** The pixels that all panels share. */
  get #room_css() {
    const { all, along } = EDGES[this.#name];
    return Math.max(1, all.reduce((sum, selector) => sum + this.#box(selector)[along], 0));
  }

  get #share() {
    const { first, along } = EDGES[this.#name];
    return (100 * this.#box(first)[along]) / this.#room_css;
  }

  /** @param {number | null} wished in percent; null for the usual share */
  #set(wished) {
    const { least, most } = EDGES[this.#name];
    const page = /** @type {HTMLElement | null} */ (this.closest('.page'));
    const share = wished === null ? '' : String(Math.round(10 * Math.max(least, Math.min(wished, most))) / 10);
    page?.style.setProperty(`--${this.#name}-share`, share);
    page?.classList.toggle(`own-${this.#name}`, share !== '');
    kept(this.#storedAs, share);
    this.#tell();
  }

  #tell = () => {
    const { least, most } = EDGES[this.#name];
    this.ariaValueMin = String(least);
    this.ariaValueMax = String(most);
    this.ariaValueNow = String(Math.round(Math.max(least, Math.min(this.#share, most))));
  };

  #press = (/** @type {PointerEvent} */ event) => {
    event.preventDefault();
    this.focus();
    const { first, from } = EDGES[this.#name];
    const move = (/** @type {PointerEvent} */ { clientX, clientY }) =>
      this.#set((100 * ((from === 'left' ? clientX : clientY) - this.#box(first)[from])) / this.#room_css);
    hold(this, event, move, new AbortController().signal);
  };

  #key = (/** @type {KeyboardEvent} */ event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#set(this.#share + step);
  };
});
