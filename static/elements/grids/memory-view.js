import { addressOfCell, cellOfAddress } from '../../core/grid/memory.js';
import { exactText } from '../../words/numbers.js';
import { coordsIn } from '../../core/layout/same-memory.js';
import { drawMemory } from '../../draw/memory-grid.js';
import { textLength } from '../../draw/cell-text.js';
import { tellDrawn } from '../shared/drawn.js';
import { markMemory } from '../shared/marked-cells.js';
import { memorySize, rowLengthFor, stagesOf } from '../shared/memories.js';
import { memoryPainterOf } from '../shared/painters.js';
import { ExplorerPart, find } from '../shared/part.js';
import { Stage } from '../shared/stage.js';
import { GridTable } from '../shared/table/grid-table.js';
import { memoryTable } from '../shared/table/sources.js';
import { countMemory } from '../shared/cost/counted-cells.js';
import { walkMemory } from '../shared/walk/walked-cells.js';
import { watchZoomButtons } from '../shared/zoom-buttons.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../../state/types.js').Side} Side */
/** @typedef {import('../../core/types.js').Tensor} Tensor */

/** The memory grid: addresses from 0, wrapped at a row length. */
export class MemoryView extends ExplorerPart {
  /** @type {{tensor: Tensor, memory: Tensor, rowLength_elems: number, itemsize_bits: number} | null} memory: before a view's steps */
  #shown = null;
  /** @type {GridTable | null} */
  #table = null;

  /** @returns {Side} */
  get side() {
    return this.getAttribute('side') === 'b' ? 'b' : 'a';
  }

  get #view() {
    return this.side === 'b' ? 'memoryB' : 'memory';
  }

  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const canvas = find(this, 'canvas', HTMLCanvasElement);
    const host = this.#host(session);
    const stage = new Stage(canvas, host, signal);
    watchZoomButtons(this, stage, signal);
    const table = new GridTable(this, { name: `memory-${this.side}`, stage, host, source: () => this.#source(session) }, signal);
    this.#table = table;
    session.on(['selected', 'restored'], () => table.choose(), signal);
    stagesOf(session)[this.side] = stage;
    const view = () => session.state.view[this.#view];
    let { rowLength, apart } = session.state;
    let answer = session.answers[this.side];
    session.on(
      'answer',
      () => {
        this.#label(session);
        // An answer to the other side must not reset the pan and zoom of this one, but A's may be what
        // the selected cell was waiting for, and in step both have the same size.
        if (answer === session.answers[this.side]) {
          stage.refresh();
          return;
        }
        answer = session.answers[this.side];
        if (this.side === 'b') this.hidden = answer === null;
        stage.show(view());
      },
      signal,
    );
    session.on('restored', () => stage.show(view()), signal);
    session.on(
      'state',
      () => {
        if (rowLength === session.state.rowLength && apart === session.state.apart) return;
        ({ rowLength, apart } = session.state);
        stage.show(view());
        this.#label(session);
      },
      signal,
    );
    session.on(['cell', 'slice', 'values', 'theme', 'state', 'cost'], () => stage.redraw(), signal);
    session.on(
      'selected',
      () => {
        if (session.inStep && stagesOf(session).used !== this.side) return;
        const address = this.#addressOf(session);
        if (address !== null && this.#shown) stage.reveal(this.#cellOf(address));
        this.#accompany(session, stage);
      },
      signal,
    );
    session.on('gone', () => this.#go(session, stage), signal);
    stage.show(view());
  }

  /**
   * @param {Session} session
   * @returns {import('../shared/stage.js').StageHost}
   */
  #host(session) {
    return {
      apart: this.side === 'b',
      measure: () => {
        const answer = session.answers[this.side];
        const memory = answer?.memory.tensor;
        if (!answer?.tensor || !memory || memory.bufferElements === 0) {
          this.#shown = null;
          return null;
        }
        const { tensor, itemsize_bits } = answer;
        this.#shown = { tensor, memory, rowLength_elems: rowLengthFor(session, this.side), itemsize_bits };
        return memorySize(session, this.side);
      },
      lead: () => (this.side === 'b' && session.inStep ? stagesOf(session).a : null),
      led: () => {
        if (this.side === 'a' && session.inStep) stagesOf(session).b?.follow();
      },
      partner: () => this.#partner(session),
      centred: () => session.centred,
      characters: () => {
        const tensor = session.answers[this.side]?.memory.tensor;
        const text = /** @type {import('../../draw/types.js').CellText} */ (session.state.text);
        return tensor ? textLength(tensor, text, session.valuesFor(tensor)) : 1;
      },
      anchor: () => {
        const address = this.#addressOf(session);
        return address === null ? null : this.#cellOf(address);
      },
      draw: (context, viewport, pixelRatio) => {
        const painter = memoryPainterOf(session, this.side);
        if (!painter || !this.#shown || painter.tensor !== this.#shown.memory) return;
        const { pointed } = session;
        const { tensor, memory } = this.#shown;
        /** @param {readonly number[] | null} coords */
        const stored = (coords) => coords && coords.length === tensor.shape.length ? coordsIn(memory, tensor, coords) : null;
        const signs = drawMemory(context, {
          painter,
          viewport,
          rowLength_elems: this.#shown.rowLength_elems,
          itemsize_bits: this.#shown.itemsize_bits,
          text: /** @type {import('../../draw/types.js').CellText} */ (session.state.text),
          values: session.valuesFor(painter.tensor),
          selected: stored(session.selected),
          hovered: stored(pointed?.coords ?? null),
          cursor: pointed && pointed.side === this.side && !pointed.coords ? pointed.address : null,
          other: this.side === 'b' ? sameShape(session.answers.a?.memory.tensor, painter.tensor) : null,
          pixelRatio,
        });
        const places = {
          addressAt: (/** @type {import('../../core/types.js').Cell} */ cell) => this.#addressAt(cell),
          cellOf: (/** @type {number} */ address) => this.#cellOf(address),
        };
        markMemory(context, viewport, session, this.side, places, signs);
        countMemory(context, viewport, session, this.side, painter, places, signs);
        walkMemory(context, viewport, session, this.side, places.cellOf, signs);
        tellDrawn(this, { grid: this.side, signs, rowLength_elems: this.#shown.rowLength_elems });
      },
      hover: (cell) => {
        const address = cell && this.#addressAt(cell);
        session.point(address === null ? null : this.#pointAt(address));
      },
      press: (cell) => {
        const address = this.#addressAt(cell);
        if (address !== null) this.#choose(session, address);
      },
      key: (event) => {
        const address = this.#keyed(session, event);
        if (address !== null) this.#choose(session, address);
        return address !== null;
      },
      moved: (view) => session.change({ view: Object.freeze({ ...session.state.view, [this.#view]: view }) }),
    };
  }

  /**
   * Selects the element at an address. Where there is none, the address is only pointed at.
   * @param {Session} session
   * @param {number} address
   */
  #choose(session, address) {
    const cell = this.#pointAt(address);
    const stages = stagesOf(session);
    stages.used = this.side;
    if (cell?.coords) session.select(cell.coords);
    else session.point(cell, 'said');
    stages.used = 'a';
  }

  /**
   * Shows the cell that the reader went to.
   * @param {Session} session
   * @param {Stage} stage
   */
  #go(session, stage) {
    const { gone, inStep } = session;
    if (!gone || !this.#shown || (inStep && gone.side !== this.side)) return;
    const { tensor } = this.#shown;
    if (gone.side === this.side && gone.address !== null) stage.centre(this.#cellOf(gone.address));
    else if (gone.coords?.length === tensor.shape.length) stage.centre(this.#cellOf(tensor.addressOf(gone.coords)));
    this.#accompany(session, stage);
  }

  /**
   * In step, two cells far apart do not fit into one window: the other memory then shows its own.
   * @param {Session} session
   * @param {Stage} stage
   */
  #accompany(session, stage) {
    const other = session.inStep ? stagesOf(session)[this.side === 'a' ? 'b' : 'a'] : null;
    const cell = other && this.#partner(session);
    if (cell) other.accompany(cell, stage);
  }

  /** @param {Session} session */
  #partner({ answers, selected, inStep }) {
    const tensor = answers[this.side === 'a' ? 'b' : 'a']?.tensor;
    return inStep && tensor && selected?.length === tensor.shape.length ? this.#cellOf(tensor.addressOf(selected)) : null;
  }

  /**
   * @param {number} address
   * @returns {import('../../state/types.js').PointedCell | null}
   */
  #pointAt(address) {
    if (!this.#shown) return null;
    const owner = this.#shown.tensor.ownerOf(address);
    const owned = owner.kind === 'element' || owner.kind === 'shared';
    return { side: this.side, coords: owned ? owner.coords : null, address };
  }

  /** @param {import('../../core/types.js').Cell} cell */
  #addressAt(cell) {
    if (!this.#shown) return null;
    const address = addressOfCell(cell, this.#shown.rowLength_elems);
    return address < this.#shown.tensor.bufferElements ? address : null;
  }

  /** @param {number} address */
  #cellOf(address) {
    return cellOfAddress(address, this.#shown?.rowLength_elems ?? 1);
  }

  /** @param {Session} session */
  #addressOf(session) {
    const tensor = this.#shown?.tensor;
    if (!tensor) return null;
    const { pointed, selected } = session;
    if (pointed && pointed.side === this.side && pointed.address !== null && !pointed.coords) return pointed.address;
    return selected && selected.length === tensor.shape.length ? tensor.addressOf(selected) : null;
  }

  /**
   * The address that a key moves to.
   * @param {Session} session
   * @param {KeyboardEvent} event
   * @returns {number | null} null for a key that does not move
   */
  #keyed(session, event) {
    if (!this.#shown) return null;
    const { rowLength_elems: row, tensor } = this.#shown;
    const last = tensor.bufferElements - 1;
    const from = this.#addressOf(session) ?? 0;
    const start = from - (from % row);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from >= row ? from - row : from,
      ArrowDown: from + row <= last ? from + row : from,
      PageUp: from % row + Math.max(0, Math.floor(from / row) - 8) * row,
      PageDown: from + 8 * row <= last ? from + 8 * row : last - ((((last - from) % row) + row) % row),
      Home: event.ctrlKey ? 0 : start,
      End: event.ctrlKey ? last : start + row - 1,
    };
    const target = targets[event.key];
    return target === undefined ? null : Math.min(Math.max(target, 0), last);
  }

  /**
   * @param {Session} session
   * @returns {import('../shared/table/sources.js').TableSource | null}
   */
  #source(session) {
    if (!this.#shown || this.#shown.tensor !== session.answers[this.side]?.tensor) return null;
    const { tensor, memory, rowLength_elems } = this.#shown;
    const other = session.answers[this.side === 'a' ? 'b' : 'a']?.tensor;
    const name = this.side === 'a' ? 'B' : 'A';
    return memoryTable({ tensor, memory, values: session.valuesFor(memory), other: other ? { name, tensor: other } : null }, rowLength_elems);
  }

  /** @param {Session} session */
  #label(session) {
    const answer = session.answers[this.side];
    const heading = find(this, 'h2', HTMLElement);
    const about = find(this, '.about', HTMLElement);
    const notice = find(this, '.notice', HTMLElement);
    heading.textContent = session.answers.b ? `Memory ${this.side.toUpperCase()}` : 'Memory';
    const memory = answer?.memory.description;
    about.textContent = memory ? `${memory.layout}   ${exactText(memory.buffer.elements)} addresses` : '';
    this.#table?.label(`${heading.textContent}, ${about.textContent}`);
    notice.textContent = answer?.undrawable ?? (answer?.tensor?.bufferElements === 0 ? 'No bytes at all.' : '');
    notice.hidden = notice.textContent === '';
  }
}

/**
 * @param {Tensor | null | undefined} tensor
 * @param {Tensor} other
 * @returns {Tensor | null} the first, where its shape is that of the other
 */
function sameShape(tensor, other) {
  return tensor && String(tensor.shape) === String(other.shape) ? tensor : null;
}

customElements.define('memory-view', MemoryView);
