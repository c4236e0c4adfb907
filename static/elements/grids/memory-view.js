import { movedAddress } from '../../core/grid/keys.js';
import { addressOfCell, cellOfAddress } from '../../core/grid/memory.js';
import { exactText } from '../../words/numbers.js';
import { coordsIn, sameShape } from '../../core/layout/same-memory.js';
import { createCellText } from '../../draw/cell-text.js';
import { drawMemory } from '../../draw/memory-grid.js';
import { opensNear } from '../../state/answers.js';
import { tellDrawn } from '../shared/drawn.js';
import { markMemory } from '../shared/marked-cells.js';
import { chosenAddress, isNarrow, memorySize, rowLengthFor, stagesOf } from '../shared/memories.js';
import { paintersOf } from '../shared/painters.js';
import { GridPart } from '../shared/grid-part.js';
import { memoryTable } from '../shared/table/sources.js';
import { countMemory } from '../shared/cost/counted-cells.js';
import { walkMemory } from '../shared/walk/walked-cells.js';

/** @import { Tensor } from '../../core/types.js' */
/** @import { Stage } from '../shared/stage.js' */

/** The memory grid: addresses from 0, wrapped at a row length. */
customElements.define('memory-view', class MemoryView extends GridPart {
  /** @type {{tensor: Tensor, memory: Tensor, rowLength_elems: number, itemsize_bits: number} | null} memory: before a view's steps */
  #shown = null;

  get #view() {
    return this.side === 'b' ? 'memoryB' : 'memory';
  }

  /** @override */
  start() {
    const { session } = this;
    const stage = this.open(`memory-${this.side}`, this.#host(), () => this.#source());
    stagesOf(session)[this.side] = stage;
    const view = () => session.state.view[this.#view];
    let answer = session.answers[this.side];
    this.when('answer', () => {
      this.#label();
      // An answer to the other side must not reset the pan and zoom of this one, but A's may be what
      // the selected cell was waiting for, and in step both have the same size.
      if (answer === session.answers[this.side]) {
        stage.refresh();
        return;
      }
      answer = session.answers[this.side];
      if (this.side === 'b') this.hidden = answer === null;
      stage.show(view());
    });
    this.when(['restored', 'rows'], () => stage.show(view()));
    this.when(['cell', 'slice', 'values', 'theme', 'display', 'cost'], () => stage.redraw());
    this.when('selected', () => {
      if (session.inStep && stagesOf(session).used !== this.side) return;
      // An answer that came just before is measured first.
      const address = stage.viewport && this.#address;
      if (address !== null && this.#shown) stage.reveal(this.#cellOf(address));
      this.#accompany(stage);
    });
    this.when('gone', () => {
      const { gone, inStep } = session;
      if (!gone || !this.#shown || (inStep && gone.side !== this.side)) return;
      const address = gone.coords || gone.side === this.side ? this.#address : null;
      if (address !== null) stage.centre(this.#cellOf(address));
      this.#accompany(stage);
    });
    this.when(['answer', 'selected', 'values', 'state'], () => this.say('.place', this.#placeText()));
    stage.show(view());
  }

  /** @returns {Omit<import('../shared/stage.js').StageHost, 'characters'>} */
  #host() {
    const { session } = this;
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
      partner: () => (this.#otherRow === this.#shown?.rowLength_elems ? this.#partner() : null),
      // A small screen shows the cells that an example names, where a large one shows all of them.
      centred: () => session.centred || (isNarrow() && session.story?.preset.logical_css !== undefined),
      near: () => opensNear(session),
      anchor: () => {
        const address = this.#address;
        return address === null ? null : this.#cellOf(address);
      },
      draw: (context, viewport, pixelRatio) => {
        const painter = paintersOf(session, this.side)?.memory;
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
          text: this.text,
          values: session.valuesFor(painter.tensor),
          selected: stored(session.selected),
          hovered: stored(pointed?.coords ?? null),
          cursor: pointed && pointed.side === this.side && !pointed.coords ? pointed.address : null,
          other: this.side === 'b' ? sameShape(session.answers.a?.memory.tensor, painter.tensor) : null,
          pixelRatio,
        });
        const drawing = { context, viewport, session, side: this.side, signs };
        const places = { addressAt: this.#addressAt, cellOf: this.#cellOf };
        markMemory(drawing, places);
        countMemory(drawing, painter, places);
        walkMemory(drawing, places.cellOf);
        tellDrawn(this, { grid: this.side, signs, rowLength_elems: this.#shown.rowLength_elems });
      },
      hover: (cell) => {
        const address = cell && this.#addressAt(cell);
        session.point(address === null ? null : this.#pointAt(address));
      },
      press: (cell) => {
        const address = this.#addressAt(cell);
        if (address !== null) this.#choose(address);
      },
      key: (event) => {
        const address = this.#shown && movedAddress(this.#address ?? 0, this.#shown.rowLength_elems, this.#shown.tensor.bufferElements, event);
        if (address !== null) this.#choose(address);
        return address !== null;
      },
      moved: (view) => session.change({ view: Object.freeze({ ...session.state.view, [this.#view]: view }) }),
    };
  }

  /**
   * Selects the element at an address. Where there is none, the address is only pointed at.
   * @param {number} address
   */
  #choose(address) {
    const cell = this.#pointAt(address);
    const stages = stagesOf(this.session);
    stages.used = this.side;
    if (cell?.coords) this.session.select(cell.coords);
    else this.session.point(cell, 'said');
    stages.used = 'a';
  }

  /**
   * In step, two cells far apart do not fit into one window: the other memory then shows its own.
   * @param {Stage} stage
   */
  #accompany(stage) {
    const other = this.session.inStep ? stagesOf(this.session)[this.side === 'a' ? 'b' : 'a'] : null;
    const cell = other && this.#partner();
    if (cell) other.accompany(cell, stage);
  }

  /** The chosen cell in the other memory. */
  #partner() {
    const { answers, selected, inStep } = this.session;
    const tensor = answers[this.side === 'a' ? 'b' : 'a']?.tensor;
    return inStep && tensor && selected?.length === tensor.shape.length ? cellOfAddress(tensor.addressOf(selected), this.#otherRow) : null;
  }

  get #otherRow() {
    return rowLengthFor(this.session, this.side === 'a' ? 'b' : 'a');
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

  #addressAt = (/** @type {import('../../core/types.js').Cell} */ cell) => {
    if (!this.#shown) return null;
    const address = addressOfCell(cell, this.#shown.rowLength_elems);
    return address < this.#shown.tensor.bufferElements ? address : null;
  };

  #cellOf = (/** @type {number} */ address) => cellOfAddress(address, this.#shown?.rowLength_elems ?? 1);

  get #address() {
    return this.#shown && chosenAddress(this.session, this.side);
  }

  /** @returns {string} what the chosen cell shows, and its address */
  #placeText() {
    const { session } = this;
    const { answers, selected } = session;
    const [tensor, memory] = [answers[this.side]?.tensor, answers[this.side]?.memory.tensor];
    const coords = tensor && memory && selected?.length === tensor.shape.length ? coordsIn(memory, tensor, selected) : null;
    if (!memory || !coords) return '';
    const text = createCellText(memory, this.text === 'address' ? 'auto' : this.text, session.valuesFor(memory))(coords);
    const named = /^\d+$/.test(text) && !session.valuesFor(memory) ? `element ${exactText(Number(text))}` : text;
    return `${named} is at address ${exactText(memory.addressOf(coords))}`;
  }

  /** @returns {import('../shared/table/sources.js').TableSource | null} */
  #source() {
    if (!this.#shown || this.#shown.tensor !== this.session.answers[this.side]?.tensor) return null;
    const { tensor, memory, rowLength_elems } = this.#shown;
    const other = this.session.answers[this.side === 'a' ? 'b' : 'a']?.tensor;
    const name = this.side === 'a' ? 'B' : 'A';
    return memoryTable({ tensor, memory, values: this.session.valuesFor(memory), other: other ? { name, tensor: other } : null }, rowLength_elems);
  }

  #label() {
    const answer = this.session.answers[this.side];
    const heading = this.session.answers.b ? `Memory ${this.side.toUpperCase()}` : 'Memory';
    this.say('h2', heading);
    const memory = answer?.memory.description;
    const about = memory ? `${memory.layout}   ${exactText(memory.buffer.elements)} addresses` : '';
    this.entitle(`${heading}, ${about}`, about, answer?.undrawable ?? (answer?.tensor?.bufferElements === 0 ? 'No bytes at all.' : ''));
  }
});
