import { addressOfCell, cellOfAddress, memoryExtent } from '../../core/grid/memory.js';
import { textLength } from '../../draw/cell-text.js';
import { drawMemory, memoryInsets } from '../../draw/memory-grid.js';
import { drawProgress, drawRail, inParts, textsOf } from '../../draw/reorder/progress.js';
import { exactText } from '../../words/numbers.js';
import { writtenText } from '../../words/reorder.js';
import { sizeCanvas } from '../shared/frame.js';
import { find, ReorderPart } from '../shared/part.js';
import { Stage } from '../shared/stage.js';
import { watchZoomButtons } from '../shared/zoom-buttons.js';
import { paintersOf } from '../shared/reorder/painters.js';

/** @import { Ready } from '../../state/reorder/types.js' */
/** @import { Viewport } from '../../core/types.js' */

const OPENING_CELL_CSS = 34;
const LEAST_OPENING_CSS = 5;
const ROWS_ABOVE = 3;
/** How many addresses without a step an arrow key passes over. */
const MOST_PASSED = 4096;
/** A memory was drawn: what lies over both is drawn after it. */
export const MEMORY_DRAWN = 'memory-drawn';

/** One memory of a reorder, a cache line or a part of it in a row, with the rail of its lines. */
class ReorderMemory extends ReorderPart {
  /** @type {Ready | null} */
  #ready = null;
  /** What shows the cells, from `start` on. */
  stage = /** @type {Stage} */ (/** @type {unknown} */ (null));

  /** Where the cells are drawn. */
  get canvas() {
    return find(this, 'canvas.cells', HTMLCanvasElement);
  }

  /** @override */
  start() {
    const stage = new Stage(this.canvas, this.#host(), this.signal);
    this.stage = stage;
    watchZoomButtons(this, stage);
    this.when('step', () => {
      const address = this.session.addressIn(this.side);
      if (address !== null && this.#ready) stage.reveal(cellOfAddress(address, this.#ready.rowLength_elems));
      stage.redraw();
      this.#tellWritten();
    });
    this.session.fields.on('theme', () => stage.redraw(), this.signal);
    this.follow('plan', () => this.#open());
  }

  #open() {
    const { ready, problem, stale } = this.session;
    const notice = find(this, '.notice', HTMLElement);
    notice.textContent = this.side === 'a' && !ready ? problem : '';
    notice.hidden = notice.textContent === '';
    this.classList.toggle('stale', stale && ready !== null);
    if (ready === this.#ready) return;
    this.#ready = ready;
    if (!ready) return;
    const { description } = ready.answers[this.side];
    const about = `${exactText(ready.tensors[this.side].bufferElements)} addresses`;
    this.say('.about', about);
    this.#tellWritten();
    this.canvas.setAttribute('aria-label', `Memory ${this.side.toUpperCase()}, ${description.layout}   ${about}`);
    this.stage.show(this.#opening(ready));
  }

  /** How much of B is there: the rest of its cells is drawn empty. */
  #tellWritten() {
    const { schedule, tensors } = this.#ready ?? {};
    if (this.side === 'b' && schedule && tensors) this.say('.about', writtenText(schedule, this.session.done, tensors.b.bufferElements));
  }

  /** A row fills the width, at a size that can be read where there is room. @param {Ready} ready */
  #opening(ready) {
    const tensor = ready.tensors[this.side];
    const { rows } = memoryExtent(tensor, ready.rowLength_elems);
    const { clientWidth, clientHeight } = this.canvas;
    const { label_left_css, label_top_css } = memoryInsets(tensor);
    const wide_css = (clientWidth - label_left_css - 3) / ready.rowLength_elems;
    const high_css = (clientHeight - label_top_css - 3) / rows;
    // Fewer rows than fit may be larger; more of them scroll.
    const cell_css = Math.max(LEAST_OPENING_CSS, Math.floor(Math.min(wide_css, Math.max(OPENING_CELL_CSS, Math.min(high_css, 56)))));
    const row = Math.floor((this.session.addressIn(this.side) ?? 0) / ready.rowLength_elems);
    const shown = Math.floor((clientHeight - label_top_css) / cell_css);
    const top_cells = rows <= shown ? 0 : Math.max(0, Math.min(row - ROWS_ABOVE, rows - shown));
    // Both memories begin at one height.
    return Object.freeze({ cell_css, left_cells: 0, top_cells, start_top_css: 0 });
  }

  /** @returns {import('../shared/stage.js').StageHost} */
  #host() {
    const { session } = this;
    return {
      apart: this.side === 'b',
      measure: () => {
        const tensor = session.ready?.tensors[this.side];
        if (!session.ready || !tensor || tensor.bufferElements === 0) return null;
        return { ...memoryExtent(tensor, session.ready.rowLength_elems), ...memoryInsets(tensor) };
      },
      characters: () => (session.ready ? textLength(session.ready.tensors[this.side], 'auto', null) : 1),
      anchor: () => {
        const address = this.session.addressIn(this.side);
        return address === null || !session.ready ? null : cellOfAddress(address, session.ready.rowLength_elems);
      },
      draw: (context, viewport, pixelRatio) => this.#draw(context, viewport, pixelRatio),
      hover: () => undefined,
      press: (cell) => {
        if (session.ready) this.#goTo(addressOfCell(cell, session.ready.rowLength_elems), 0);
      },
      key: (event) => this.#key(event),
      moved: () => undefined,
    };
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Viewport} viewport
   * @param {number} pixelRatio
   */
  #draw(context, viewport, pixelRatio) {
    const { ready, fields, done } = this.session;
    const painter = paintersOf(this.session)?.[this.side];
    if (!ready || !painter) return;
    const { rowLength_elems, itemsize_bits } = ready;
    drawMemory(context, {
      painter, viewport, rowLength_elems, itemsize_bits, text: 'auto', values: null, selected: null, hovered: null, cursor: null, pixelRatio,
    });
    const rowAt = ready.rows?.[this.side];
    const { theme } = fields;
    if (rowAt) drawProgress(context, { viewport, theme, side: this.side, rowAt, rowLength_elems, done, pixelRatio, writtenAt: textsOf(painter) });
    this.#drawRail(ready, viewport, pixelRatio);
    this.dispatchEvent(new CustomEvent(MEMORY_DRAWN, { bubbles: true }));
  }

  /**
   * @param {Ready} ready
   * @param {Viewport} viewport
   * @param {number} pixelRatio
   */
  #drawRail({ lines, line_elems, rowLength_elems, schedule, itemsize_bits }, viewport, pixelRatio) {
    const { moment, fields, done } = this.session;
    const rail = find(this, 'canvas.rail', HTMLCanvasElement);
    const context = rail.getContext('2d');
    if (!context) return;
    const width_css = rail.clientWidth;
    sizeCanvas(rail, { width_css, height_css: viewport.height_css });
    const rowAt = lines?.[this.side];
    if (!rowAt || schedule.steps === 0) {
      context.clearRect(0, 0, rail.width, rail.height);
      return;
    }
    const { units, unit_bits } = schedule.stepAt(moment.step);
    const address = this.session.addressIn(this.side);
    const last = (address ?? 0) + (units * unit_bits) / itemsize_bits - 1;
    /** @type {readonly [number, number] | null} */
    const now = address === null ? null : [Math.floor(address / line_elems), Math.floor(last / line_elems)];
    const view = inParts(viewport, line_elems / rowLength_elems);
    drawRail(context, { viewport: view, width_css, theme: fields.theme, rowAt, done, now, pixelRatio });
  }

  /**
   * Goes to the step of an address, or of the next one in a direction that has a step.
   * @param {number} from
   * @param {number} by 0: of this address alone
   */
  #goTo(from, by) {
    const { ready } = this.session;
    const most = ready?.tensors[this.side].bufferElements ?? 0;
    let address = from;
    for (let passed = 0; passed < MOST_PASSED && address >= 0 && address < most; passed += 1) {
      const step = ready?.stepOf?.[this.side](address) ?? -1;
      if (step >= 0) {
        this.session.go({ step, part: 1 });
        return;
      }
      if (by === 0) return;
      address += by;
    }
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was used
   */
  #key(event) {
    const row = this.session.ready?.rowLength_elems ?? 1;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[event.key];
    const address = this.session.addressIn(this.side);
    if (by === undefined || address === null || event.ctrlKey) return false;
    this.#goTo(address + by, by);
    return true;
  }
}

customElements.define('reorder-memory', ReorderMemory);

/** @param {'a' | 'b'} side */
export function memoryOf(side) {
  return find(document, `reorder-memory[side=${side}]`, ReorderMemory);
}
