import { cellAt, createViewport, fit, opening, panBy, reveal, zoomAbout, zoomAt } from '../../core/grid/viewport.js';
import { createFrame } from './frame.js';
import { watchGestures } from './gestures.js';

/** @typedef {import('../../core/types.js').Cell} Cell */
/** @typedef {import('../../core/types.js').Viewport} Viewport */
/** @typedef {import('../../state/types.js').ViewState} ViewState */

/**
 * What a grid provides to its stage.
 * @typedef {object} StageHost
 * @property {(width_css: number, height_css: number) => GridSize | null} measure the grid; null where there is nothing to show
 * @property {() => Cell | null} anchor the cell that the opening view must show
 * @property {(context: CanvasRenderingContext2D, viewport: Viewport, pixelRatio: number) => void} draw
 * @property {(cell: Cell | null) => void} hover
 * @property {(cell: Cell) => void} press
 * @property {(event: KeyboardEvent) => boolean} key true where the grid used it
 * @property {(view: Readonly<ViewState>) => void} moved the user has panned or zoomed
 *
 * @typedef {{columns: number, rows: number, inset_left_css: number, inset_top_css: number}} GridSize
 */

const ZOOM_STEP = 1.5;

/** A canvas that shows a part of a grid: handles size, pixel ratio, pan, zoom and redrawing. */
export class Stage {
  #frame = createFrame(() => this.#draw());
  /** @type {Viewport | null} */
  #viewport = null;
  /** @type {Readonly<ViewState> | null} */
  #wish = null;
  #stale = true;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {StageHost} host
   * @param {AbortSignal} signal ends all listeners
   */
  constructor(canvas, host, signal) {
    this.#canvas = canvas;
    this.#host = host;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser has no 2D canvas');
    this.#context = context;
    const observer = new ResizeObserver(() => this.refresh());
    observer.observe(canvas);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      this.#frame.cancel();
    });
    watchGestures(
      canvas,
      {
        hover: (x_css, y_css) => host.hover(this.#cellAt(x_css, y_css)),
        leave: () => host.hover(null),
        press: (x_css, y_css) => {
          const cell = this.#cellAt(x_css, y_css);
          if (cell) host.press(cell);
        },
        drag: (dx_css, dy_css) => this.#move((viewport) => panBy(viewport, dx_css, dy_css)),
        zoom: (factor, x_css, y_css) => this.#move((viewport) => zoomAt(viewport, factor, x_css, y_css)),
      },
      signal,
    );
    canvas.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  #canvas;
  #host;
  #context;

  /** Measures and draws the grid in the next frame, so that several changes cost one layout. */
  refresh() {
    this.#stale = true;
    this.redraw();
  }

  #measure() {
    this.#stale = false;
    const { clientWidth: width_css, clientHeight: height_css } = this.#canvas;
    const size = width_css > 0 && height_css > 0 ? this.#host.measure(width_css, height_css) : null;
    const viewport = size && createViewport({ width_css, height_css, ...size, ...this.#wish });
    this.#viewport = viewport && !this.#wish ? this.#opened(viewport) : viewport;
  }

  /** @param {Viewport} viewport */
  #opened(viewport) {
    const anchor = this.#host.anchor();
    const opened = opening(viewport);
    return anchor ? reveal(opened, anchor) : opened;
  }

  /** Draws the same part again in the next frame. */
  redraw() {
    this.#frame.request();
  }

  /** @param {Readonly<ViewState> | null} view null: the opening view */
  show(view) {
    this.#wish = view;
    this.refresh();
  }

  /** @param {Cell} cell to be brought into view */
  reveal(cell) {
    this.#move((viewport) => reveal(viewport, cell));
  }

  /** @param {'in' | 'out' | 'fit'} step about the middle */
  zoom(step) {
    if (step === 'fit') {
      this.#move(fit);
      return;
    }
    const factor = step === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP;
    this.#move((viewport) => zoomAbout(viewport, factor));
  }

  /** @returns {Viewport | null} */
  get viewport() {
    return this.#viewport;
  }

  /**
   * @param {(viewport: Viewport) => Viewport} change
   * @returns {boolean} whether the window moved
   */
  #move(change) {
    const before = this.#viewport;
    if (!before) return false;
    const after = change(before);
    const { cell_css, left_cells, top_cells } = after;
    if (cell_css === before.cell_css && left_cells === before.left_cells && top_cells === before.top_cells) {
      return false;
    }
    this.#viewport = after;
    this.#wish = Object.freeze({ cell_css, left_cells, top_cells });
    this.#host.moved(this.#wish);
    this.redraw();
    return true;
  }

  /**
   * @param {number} x_css
   * @param {number} y_css
   */
  #cellAt(x_css, y_css) {
    return this.#viewport && cellAt(this.#viewport, x_css, y_css);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === '+' || event.key === '=') this.zoom('in');
    else if (event.key === '-') this.zoom('out');
    else if (event.key === '0') this.zoom('fit');
    else if (!this.#host.key(event)) return;
    event.preventDefault();
  }

  #draw() {
    if (this.#stale) this.#measure();
    const { clientWidth, clientHeight } = this.#canvas;
    const pixelRatio = window.devicePixelRatio;
    const width = Math.round(clientWidth * pixelRatio);
    const height = Math.round(clientHeight * pixelRatio);
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    const view = this.#viewport;
    this.#canvas.classList.toggle('taller', view !== null && view.rows * view.cell_css > view.height_css - view.inset_top_css + 1);
    if (view) this.#host.draw(this.#context, view, pixelRatio);
    else this.#context.clearRect(0, 0, width, height);
    this.#tell(view);
  }

  /**
   * Writes where the cells lie as data attributes of the canvas, for scripts and tests.
   * @param {Viewport | null} view
   */
  #tell(view) {
    const { dataset } = this.#canvas;
    dataset.cell_css = view ? String(view.cell_css) : '';
    dataset.left_cells = view ? String(view.left_cells) : '';
    dataset.top_cells = view ? String(view.top_cells) : '';
    dataset.inset_css = view ? `${view.inset_left_css},${view.inset_top_css}` : '';
    dataset.columns = view ? String(view.columns) : '';
  }
}

