import { closeUp, fromPlane, inMiddle, inSight, inView, keptView, readPlanes, showPlane } from '../../core/grid/shown.js';
import { cellAt, centre, changeViewport, createViewport, fit, FIT_MARGIN_CSS, opening, panBy, reveal, showsCell } from '../../core/grid/viewport.js';
import { alignedWith, atPlaceOf, besideLead, distanceOf, moved, placeOf, zoomAbout, zoomAboutCell, zoomAt } from '../../core/grid/zooming.js';
import { grownCell, LEAST_BORDERED_CSS, nextZoom, textColumn, zoomStepOf, zoomSteps } from '../../core/grid/zoom.js';
import { createFrame, sizeCanvas, watchSize } from './frame.js';
import { isNarrow } from './memories.js';
import { watchGestures } from './pointer/gestures.js';

/** @import { Cell, LogicalGrid, Viewport, ZoomStep } from '../../core/types.js' */
/** @import { View, ViewState } from '../../state/types.js' */

/**
 * What a grid provides to its stage.
 * @typedef {object} StageHost
 * @property {(width_css: number, height_css: number) => GridSize | null} measure the grid; null where there is nothing to show
 * @property {boolean} [apart] whether it is drawn in an event of its own
 * @property {() => Cell | null} anchor the cell that the opening view must show
 * @property {() => Cell | null} [partner] a second cell to be shown with the anchor, where both fit into the window
 * @property {(before: Viewport) => Cell | null} [rearranged] the cell to stay in view where cells lie elsewhere since the reader moved the view
 * @property {() => boolean} [centred] whether the opening view shows the anchor in the middle, large enough to read
 * @property {() => boolean} [near] whether the opening view shows a part large enough to read, though the whole is large
 * @property {() => LogicalGrid | null} [planes] that a narrow window shows large enough to read
 * @property {() => number} characters of the longest text of a cell
 * @property {() => Stage | null} [lead] the stage whose zoom and origin this one has as well
 * @property {() => void} [led] called after the view has changed, for the stage that follows
 * @property {(context: CanvasRenderingContext2D, viewport: Viewport, pixelRatio: number) => void} draw
 * @property {(cell: Cell | null) => void} hover
 * @property {(cell: Cell) => void} press
 * @property {(event: KeyboardEvent) => boolean} key true where the grid used it
 * @property {(view: Readonly<ViewState> | 'fit') => void} moved the user has panned or zoomed
 *
 * @typedef {{columns: number, rows: number, label_left_css: number, label_top_css: number, most_wide?: number}} GridSize
 */

/** Where a stage that follows is beside the one that leads, in cells. */
const TOGETHER = Object.freeze({ left_cells: /** @type {number} */ (0), top_cells: /** @type {number} */ (0) });

/** A canvas that shows a part of a grid: handles size, pixel ratio, pan, zoom and redrawing. */
export class Stage {
  /** @type {Viewport | null} */
  #viewport = null;
  /** @type {View} */
  #wish = null;
  #stale = true;
  /** Of the canvas. To read it in each frame would make the browser lay out the page, once for each grid. */
  #size = { width_css: 0, height_css: 0, top_css: 0 };
  #beside = TOGETHER;
  /** @type {Viewport | null | undefined} */
  #told;
  /** Called in each frame with the present view. @type {((viewport: Viewport | null) => void)[]} */
  told = [];

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
    this.#frame = createFrame(() => this.#draw(), signal, { apart: host.apart });
    watchSize([canvas, canvas.closest('.grid') ?? canvas], () => this.#resized(), signal);
    /** @param {number} x_css @param {number} y_css */
    const at = (x_css, y_css) => this.#viewport && cellAt(this.#viewport, x_css, y_css);
    watchGestures(
      canvas,
      {
        hover: (x_css, y_css) => host.hover(at(x_css, y_css)),
        leave: () => host.hover(null),
        press: (x_css, y_css) => {
          const cell = at(x_css, y_css);
          if (cell) host.press(cell);
        },
        drag: (dx_css, dy_css) => {
          const before = this.viewport?.top_cells;
          this.#move((viewport) => panBy(viewport, dx_css, dy_css));
          return this.viewport?.top_cells !== before;
        },
        zoom: (factor, x_css, y_css) => this.#move((viewport) => zoomAt(viewport, factor, x_css, y_css)),
      },
      signal,
    );
    canvas.addEventListener('keydown', (event) => this.key(event), { signal });
  }

  #canvas;
  #frame;
  #host;
  #context;

  /** The server's drawing, which keeps the place of the canvas until that is drawn. */
  get #first() {
    const before = this.#canvas.previousElementSibling;
    return before?.matches('.first') ? before : null;
  }

  /** Measures and draws the grid in the next frame, so that several changes cost one layout. */
  refresh() {
    this.#stale = true;
    this.redraw();
  }

  /** What was measured is drawn already. A bar that opens above the canvas moves it, and what lies over it. */
  #resized() {
    const { clientWidth, clientHeight, offsetTop } = this.#canvas;
    const { width_css, height_css, top_css } = this.#size;
    this.#size.top_css = offsetTop;
    if (clientWidth !== width_css || clientHeight !== height_css) this.refresh();
    else if (offsetTop !== top_css) this.redraw();
  }

  #measure() {
    this.#canvas.style.setProperty('--needs', '');
    this.#place();
    if (!isNarrow() || this.#wish || !this.#viewport) return;
    const { label_top_css, rows, row_css } = this.#viewport;
    // On a phone a grid takes no more of the screen than it needs, until it is zoomed.
    this.#canvas.style.setProperty('--needs', `${Math.ceil(label_top_css + rows * row_css + FIT_MARGIN_CSS)}px`);
    this.#place();
  }

  #place() {
    const { clientWidth: width_css, clientHeight: height_css } = this.#first ?? this.#canvas;
    this.#size = { width_css, height_css, top_css: this.#canvas.offsetTop };
    const size = width_css > 0 && height_css > 0 ? this.#host.measure(width_css, height_css) : null;
    const lead = size && this.#lead;
    const whole = size && createViewport({ width_css, height_css, ...size });
    const stays = whole && this.#viewport && this.#host.rearranged?.(this.#viewport);
    if (stays) {
      this.#wish = placeOf(centre(changeViewport(whole, { cell_css: this.#viewport?.cell_css }), stays, 0));
      this.#host.moved(this.#wish);
    }
    this.#stale = false;
    if (lead?.viewport && whole) this.#viewport = this.#following(this.#placed(whole), lead, this.#host.anchor());
    else this.#viewport = whole && this.#placed(whole);
    this.#host.led?.();
  }

  /** @param {Viewport} whole */
  #placed(whole) {
    if (this.#wish === 'fit') return fit(whole);
    const text_css = textColumn(this.#host.characters());
    const near = this.#host.near?.() === true;
    if (this.#wish) return isNarrow() || near ? keptView(whole, this.#wish, text_css) : changeViewport(whole, this.#wish);
    const anchor = this.#host.anchor();
    const opened = opening(whole, isNarrow());
    const centred = anchor !== null && this.#host.centred?.() === true;
    const read = this.#read(whole, anchor, centred || near);
    const grown_css = centred ? grownCell(opened, this.#host.characters()) : 0;
    if (near && !read && (grown_css > 0 || opened.cell_css < LEAST_BORDERED_CSS)) return fromPlane(closeUp(opened, anchor, text_css), anchor, this.#planes);
    if (read || !anchor) return read || opened;
    if (!centred) return this.#inView(opened, anchor);
    return inMiddle(opened, anchor, this.#host.partner?.(), grown_css);
  }

  /** @returns {LogicalGrid | null} whose planes the window begins with: in a narrow one, and where only a part opens */
  get #planes() {
    return ((isNarrow() || this.#host.near?.()) && this.#host.planes?.()) || null;
  }

  /**
   * @param {Viewport} viewport
   * @param {Cell | null} cell
   * @param {boolean} wished
   */
  #read(viewport, cell, wished) {
    return isNarrow() && this.#planes && readPlanes(viewport, cell, textColumn(this.#host.characters()), this.#planes, wished);
  }

  /**
   * @param {Viewport} viewport
   * @param {Cell} cell
   */
  #inView(viewport, cell) {
    return (this.#planes && showPlane(viewport, cell, this.#planes)) ?? inView(viewport, cell, this.#host.partner?.());
  }

  /** @returns {Stage | null} */
  get #lead() {
    return this.#host.lead?.() ?? null;
  }

  /** Draws the same part again in the next frame. */
  redraw() {
    this.#frame();
  }

  /** @param {View} view */
  show(view) {
    this.#wish = view;
    this.refresh();
  }

  /** Takes over the zoom and origin of the stage that leads. */
  follow() {
    const lead = this.#lead;
    const before = this.#viewport;
    if (lead?.viewport && before && !this.#stale) {
      const same = besideLead(before, lead.viewport, lead.#wish);
      const zoomed = same === before || same.cell_css !== before.cell_css;
      this.#viewport = zoomed ? this.#following(same, lead, this.#host.anchor()) : moved(same, this.#beside);
    }
    this.redraw();
  }

  /**
   * The view of a stage that follows: that of the lead, unless it would not show the anchor while the lead shows its own.
   * @param {Viewport} viewport
   * @param {Stage} lead
   * @param {Cell | null} anchor
   */
  #following(viewport, lead, anchor) {
    const same = lead.#viewport ? besideLead(viewport, lead.#viewport, lead.#wish) : viewport;
    const leads = lead.#viewport && lead.#host.anchor();
    const away = leads && lead.#viewport && !showsCell(lead.#viewport, leads);
    const own = anchor && !away && !showsCell(same, anchor) ? reveal(same, anchor) : same;
    this.#beside = distanceOf(own, same);
    return own;
  }

  /** Shows its own cell while the other stage shows its: with one zoom, and one origin where that shows both. @param {Cell} cell @param {Stage} other */
  accompany(cell, other) {
    const lead = this.#lead;
    const viewport = this.viewport;
    if (!viewport) return;
    if (lead?.viewport) {
      this.#viewport = this.#following(viewport, lead, cell);
      this.redraw();
    } else if (!showsCell(viewport, cell)) {
      // The one that follows stays where it is.
      const [before, after] = [other.viewport, reveal(viewport, cell)];
      if (before) other.#beside = distanceOf(before, atPlaceOf(before, after));
      this.#change(after, placeOf(after));
    }
  }

  /**
   * Moves to a cell. Planes in a narrow window stay as they open, which shows the cell after the next answer, too.
   * @param {(viewport: Viewport) => Viewport} change
   */
  #turn(change) {
    if (this.viewport && this.#planes && !this.#wish) this.#viewport = change(this.viewport);
    else this.#move(change);
    this.redraw();
  }

  /** @param {Cell} cell to be brought into view */
  reveal(cell) {
    this.#turn((viewport) => this.#inView(viewport, cell));
  }

  /** @param {Cell} cell to be brought into the middle, large enough to read, unless it is in sight */
  centre(cell) {
    this.#turn((viewport) => {
      if (inSight(viewport, cell, this.#host.partner?.())) return viewport;
      const middle = inMiddle(viewport, cell, this.#host.partner?.(), grownCell(viewport, this.#host.characters()));
      return this.#read(viewport, cell, true) || fromPlane(middle, cell, this.#planes);
    });
  }

  /** @param {Cell} cell to be brought into the middle, at the present zoom */
  bring(cell) {
    this.#move((viewport) => centre(viewport, cell, 0));
  }

  /** Moves the window over the grid. @param {number} columns @param {number} rows infinite: to the end */
  pan(columns, rows) {
    this.#move((viewport) => panBy(viewport, -columns * viewport.column_css, -rows * viewport.row_css));
  }

  /**
   * By plus and minus about the anchor where it is in view, else about the middle; to a step with the anchor in the middle, where there is one.
   * @param {'in' | 'out' | ZoomStep} to
   */
  zoom(to) {
    const viewport = this.viewport;
    if (!viewport) return;
    const anchor = this.#host.anchor();
    if (to === 'all') {
      if (this.#lead) this.#lead.zoom('all');
      else this.#change(fit(viewport), 'fit');
    } else if (to === 'in' || to === 'out') {
      this.#move((before) => {
        const factor = nextZoom(before, to, this.#host.characters()) / before.cell_css;
        return anchor && showsCell(before, anchor) ? zoomAboutCell(before, factor, anchor) : zoomAbout(before, factor);
      });
    } else {
      const cell_css = zoomSteps(viewport, this.#host.characters())[to];
      if (cell_css === null) return;
      this.#move((before) => {
        const zoomed = zoomAbout(before, cell_css / before.cell_css);
        return anchor ? inMiddle(zoomed, anchor, this.#host.partner?.(), 0) : zoomed;
      });
    }
  }

  /** @returns {Viewport | null} measured again if anything has changed since the last frame */
  get viewport() {
    if (this.#stale) this.#measure();
    return this.#viewport;
  }

  /**
   * @param {(viewport: Viewport) => Viewport} change
   * @returns {boolean} whether the window moved
   */
  #move(change) {
    const before = this.viewport;
    if (!before) return false;
    const after = change(before);
    const { cell_css, left_cells, top_cells } = after;
    if (cell_css === before.cell_css && left_cells === before.left_cells && top_cells === before.top_cells) return false;
    const lead = this.#lead;
    if (!lead) {
      this.#change(after, placeOf(after));
      return true;
    }
    // The lead moves as well; where that is at its end, this stage moves alone.
    const away = { left_cells: -this.#beside.left_cells, top_cells: -this.#beside.top_cells };
    lead.#move((viewport) => atPlaceOf(viewport, moved(after, away)));
    this.#viewport = lead.viewport ? alignedWith(after, lead.viewport) : after;
    this.#beside = lead.viewport ? distanceOf(this.#viewport, atPlaceOf(after, lead.viewport)) : TOGETHER;
    this.redraw();
    return true;
  }

  /**
   * @param {Viewport} viewport
   * @param {Readonly<ViewState> | 'fit'} wish
   */
  #change(viewport, wish) {
    this.#viewport = viewport;
    this.#wish = wish;
    this.#host.moved(wish);
    if (this.#canvas.style.getPropertyValue('--needs')) this.refresh();
    this.#host.led?.();
    this.redraw();
  }

  /** @param {KeyboardEvent} event in the grid */
  key(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === '+' || event.key === '=') this.zoom('in');
    else if (event.key === '-') this.zoom('out');
    else if (event.key === '0') this.zoom('all');
    else if (!this.#host.key(event)) return;
    event.preventDefault();
  }

  #draw() {
    const view = this.viewport;
    sizeCanvas(this.#canvas, this.#size);
    const beyond = (first = 0) => view !== null && (view.rows - first) * view.row_css > view.height_css - view.inset_top_css + 1;
    this.#canvas.classList.toggle('taller', beyond());
    this.#canvas.classList.toggle('more', beyond(view?.top_cells));
    if (view) this.#host.draw(this.#context, view, devicePixelRatio);
    else this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#first?.remove();
    this.#tell(view);
    for (const listener of this.told) listener(view);
  }

  /** @returns {{step: ZoomStep, steps: Record<ZoomStep, number | null>} | null} the present step, and the size of each */
  get zoomed() {
    const view = this.#viewport;
    return view && { step: zoomStepOf(view, this.#host.characters()), steps: zoomSteps(view, this.#host.characters()) };
  }

  /**
   * Writes where the cells lie as data attributes of the canvas, for scripts and tests.
   * @param {Viewport | null} view
   */
  #tell(view) {
    const { dataset } = this.#canvas;
    if (view === this.#told) return;
    this.#told = view;
    for (const name of /** @type {const} */ (['cell_css', 'left_cells', 'top_cells', 'columns', 'rows'])) dataset[name] = view ? String(view[name]) : '';
    dataset.side_css = view ? `${view.column_css},${view.row_css}` : '';
    dataset.inset_css = view ? `${view.inset_left_css},${view.inset_top_css}` : '';
  }
}
