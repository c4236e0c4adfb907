import { cellOfAddress } from '../../../core/grid/memory.js';
import { visibleRange } from '../../../core/grid/viewport.js';
import { bandsOf, seenOf } from '../../../core/strip/line.js';
import { StripColours } from '../../../draw/strip/colours.js';
import { drawStrip, STRIP, windowAt } from '../../../draw/strip/strip.js';
import { seenText } from '../../../words/place.js';
import { createFrame, sizeCanvas, watchSize } from '../frame.js';
import { hold } from '../pointer/hold.js';
import { find } from '../part.js';

/** @import { Painter } from '../../../draw/types.js' */
/** @import { Viewport } from '../../../core/types.js' */
/** @import { Bands, Seen } from '../../../core/strip/line.js' */
/** @import { Touched } from '../../../core/strip/touched.js' */
/** @import { Stage } from '../stage.js' */

/**
 * What a strip shows beside the colours.
 * @typedef {object} StripMarks
 * @property {number | null} chosen address
 * @property {readonly number[]} trail addresses
 * @property {Touched | null} touched for so many places
 *
 * @typedef {object} StripHost
 * @property {() => {painter: Painter, rowLength_elems: number} | null} memory
 * @property {(places: number) => StripMarks} marks
 * @property {{stepOf: () => ((address: number) => number) | null, done: () => number, side: 'a' | 'b'}} [reorder]
 */

/** Smaller memories have no strip. */
const LEAST_ELEMENTS = 2048;
/** Work of one slice, before the time is looked at again. */
const PLACES = 16;
const BOXES = 256;
const SLICE_MS = 4;

/**
 * A memory as one line, under its grid: where the window lies, as a slider for the pointer, for touch and for
 * the keyboard. It is hidden while the window shows everything; its room stays, so that no grid changes its
 * size while one zooms.
 */
export class StripView {
  /** @type {{of: readonly unknown[], colours: StripColours, bands: Bands | null} | null} */
  #made = null;
  /** @type {Viewport | null} */
  #viewport = null;
  /** @type {Seen | null} */
  #seen = null;
  #width_css = 0;

  /**
   * @param {HTMLElement} element with a canvas that is the slider
   * @param {Stage} stage of the grid
   * @param {StripHost} host
   * @param {AbortSignal} signal ends it
   */
  constructor(element, stage, host, signal) {
    this.#element = element;
    this.#canvas = find(element, 'canvas', HTMLCanvasElement);
    this.#stage = stage;
    this.#host = host;
    this.#frame = createFrame(() => this.#draw(), signal);
    stage.told.push((viewport) => {
      this.#viewport = viewport;
      // In a frame of its own: the grid has had this one.
      this.#frame();
    });
    const resize = (/** @type {ResizeObserverEntry[]} */ [{ contentRect }]) => {
      this.#width_css = Math.round(contentRect.width);
      this.#frame();
    };
    watchSize([this.#canvas], resize, signal);
    this.#canvas.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#canvas.addEventListener('pointerdown', (event) => this.#press(event, signal), { signal });
  }

  #frame;
  #element;
  #canvas;
  #stage;
  #host;

  /**
   * Another memory, or none: takes the room that the strip needs, before the grid is measured.
   * @param {string} label
   */
  begin(label) {
    this.#canvas.setAttribute('aria-label', label);
    this.#element.hidden = (this.#host.memory()?.painter.tensor.bufferElements ?? 0) < LEAST_ELEMENTS;
  }

  #draw() {
    const memory = this.#host.memory();
    const viewport = this.#viewport;
    const width_css = this.#width_css;
    if (!memory || !viewport || width_css === 0) return;
    const { painter, rowLength_elems } = memory;
    const { bufferElements } = painter.tensor;
    this.#seen = seenOf(viewport, rowLength_elems, bufferElements, width_css);
    this.#canvas.classList.toggle('idle', this.#seen.whole);
    if (this.#seen.whole) return;
    const pixelRatio = window.devicePixelRatio;
    const places = Math.max(1, Math.round(width_css * pixelRatio));
    const { colours, bands } = this.#colours(painter, places);
    const marks = this.#host.marks(places);
    this.#work(colours, marks.touched);
    const { reorder } = this.#host;
    if (reorder?.stepOf()) colours.at(reorder.done(), reorder.side);
    sizeCanvas(this.#canvas, { width_css: places / pixelRatio, height_css: STRIP.height_css });
    const context = this.#canvas.getContext('2d');
    if (!context) return;
    drawStrip(context, {
      width_css, pixelRatio, bufferElements, theme: painter.theme, words: colours.words, legend: colours.legend, bands, seen: this.#seen,
      chosen: marks.chosen, trail: marks.trail, touched: marks.touched?.marks ?? null,
    });
    this.#tell(bufferElements, bands);
  }

  /**
   * @param {Painter} painter
   * @param {number} places
   */
  #colours(painter, places) {
    const stepOf = this.#host.reorder?.stepOf() ?? null;
    const of = [painter, places, stepOf];
    if (!this.#made || this.#made.of.some((part, at) => part !== of[at])) {
      this.#made = { of, colours: new StripColours(painter, places, stepOf), bands: bandsOf(painter.tensor) };
    }
    return this.#made;
  }

  /**
   * A few milliseconds of what is not known yet; the rest in the next frames.
   * @param {StripColours} colours
   * @param {Touched | null} touched
   */
  #work(colours, touched) {
    const end_ms = performance.now() + SLICE_MS;
    while (!colours.done && performance.now() < end_ms) colours.advance(PLACES);
    while (touched && !touched.done && performance.now() < end_ms) touched.advance(BOXES);
    const done = colours.done && (!touched || touched.done);
    this.#canvas.dataset.done = String(done);
    if (!done) this.#frame();
  }

  /**
   * Tells screen readers, scripts and tests what the window shows.
   * @param {number} bufferElements
   * @param {Bands | null} bands
   */
  #tell(bufferElements, bands) {
    const seen = /** @type {Seen} */ (this.#seen);
    const text = seenText(seen, bufferElements, bands);
    const canvas = this.#canvas;
    if (canvas.getAttribute('aria-valuetext') === text) return;
    canvas.setAttribute('aria-valuemax', String(Math.max(seen.first, bufferElements - (seen.end - seen.first))));
    canvas.setAttribute('aria-valuenow', String(seen.first));
    canvas.setAttribute('aria-valuetext', text);
    canvas.title = text;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const viewport = this.#viewport;
    if (!viewport || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
    const page = Math.max(1, endRow - firstRow - 1);
    // Where the window cuts rows, left and right move along them.
    const across = firstColumn === 0 && endColumn >= viewport.columns ? 0 : Math.max(1, (endColumn - firstColumn) >> 1);
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowRight: [across, across ? 0 : 1], ArrowLeft: [-across, across ? 0 : -1], ArrowUp: [0, across ? -1 : 1], ArrowDown: [0, across ? 1 : -1],
      PageUp: [0, page], PageDown: [0, -page], Home: [-Infinity, -Infinity], End: [Infinity, Infinity],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.#stage.pan(...move);
  }

  /**
   * A press outside the window brings it there; the window itself is held where it was taken.
   * @param {PointerEvent} down
   * @param {AbortSignal} signal
   */
  #press(down, signal) {
    const memory = this.#host.memory();
    const seen = this.#seen;
    if (down.button !== 0 || !memory || !seen) return;
    down.preventDefault();
    const canvas = this.#canvas;
    canvas.focus({ preventScroll: true });
    const { rowLength_elems, painter } = memory;
    const { bufferElements } = painter.tensor;
    const { left, width } = canvas.getBoundingClientRect();
    const { x_css, wide_css } = windowAt(seen, width, (address) => (address / bufferElements) * width);
    const at_css = down.clientX - left;
    const inside = at_css >= x_css && at_css <= x_css + wide_css;
    const held = inside ? (seen.first + seen.end) / 2 - (at_css / width) * bufferElements : 0;
    /** @param {PointerEvent} event */
    const go = (event) => {
      const address = Math.floor(((event.clientX - left) / width) * bufferElements + held);
      this.#stage.bring(cellOfAddress(Math.max(0, Math.min(bufferElements - 1, address)), rowLength_elems));
    };
    if (!inside) go(down);
    hold(canvas, down, go, signal);
  }
}
