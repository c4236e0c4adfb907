import { cellOfAddress } from '../../core/grid/memory.js';
import { rectOf } from '../../core/grid/viewport.js';
import { isSeen } from '../../draw/frames.js';
import { drawTravel } from '../../draw/reorder/travel.js';
import { createFrame, sizeCanvas } from '../shared/frame.js';
import { find, ReorderPart } from '../shared/part.js';
import { paintersOf } from '../shared/reorder/painters.js';
import { MEMORY_DRAWN, memoryOf } from './reorder-memory.js';

/** @import { Piece } from '../../draw/reorder/travel.js' */
/** @import { Ready } from '../../state/reorder/types.js' */

const MOST_PIECES = 64;
const ROOM_CSS = 12;
const RAIL_CSS = 48;

/** What lies over both memories: the units of the present step on their way. */
customElements.define('reorder-travel', class ReorderTravel extends ReorderPart {
  /** @override */
  start() {
    // Once for both memories.
    const frame = createFrame(() => this.#draw(), this.signal);
    this.parentElement?.addEventListener(MEMORY_DRAWN, frame, { signal: this.signal });
  }

  #draw() {
    const canvas = find(this, 'canvas', HTMLCanvasElement);
    const context = canvas.getContext('2d');
    if (!context) return;
    const pixelRatio = window.devicePixelRatio;
    const { clientWidth: width_css, clientHeight: height_css } = canvas;
    sizeCanvas(canvas, { width_css, height_css });
    const { moment, fields } = this.session;
    const moved = { pieces: this.#pieces(), read: this.#runs('a'), written: this.#runs('b') };
    drawTravel(context, { ...moved, part: moment.part, theme: fields.theme, between: this.#between(), width_css, height_css, pixelRatio });
  }

  /** The free line between both memories: upright where they stand side by side. */
  #between() {
    const own = this.getBoundingClientRect();
    const [a, b] = [memoryOf('a'), memoryOf('b')].map(({ canvas }) => canvas.getBoundingClientRect());
    return b.left > a.right ? { x: a.right - own.left + ROOM_CSS, end: b.left - own.left - RAIL_CSS } : { y: a.bottom - own.top + ROOM_CSS };
  }

  /** @returns {Piece[]} */
  #pieces() {
    const { ready, moment } = this.session;
    const painters = paintersOf(this.session);
    if (!ready || !painters || ready.schedule.steps === 0) return [];
    const { tensors } = ready;
    const { source_address, target_address } = ready.schedule.stepAt(moment.step);
    const textOf = painters.b.textOf('auto', null);
    /** @type {Piece[]} */
    const pieces = [];
    for (const { done, count } of this.#cut(ready, target_address, source_address ?? target_address)) {
      const written = target_address + done;
      const read = source_address === null ? null : source_address + done;
      const to = this.#placeOf(ready, 'b', written);
      const from = read === null ? null : this.#placeOf(ready, 'a', read);
      if (!to) continue;
      const cells = Array.from({ length: count }, (_, at) => {
        const { coords } = tensors.b.ownerOf(written + at);
        return coords && read !== null ? { ...painters.b.cell(coords), text: textOf(coords) } : { fill: '', ink: '', text: '' };
      });
      pieces.push({ from, to, count, fromSide: from?.side ?? to.side, toSide: to.side, cells });
    }
    return pieces;
  }

  /**
   * What the present step reads or writes, in the rows of one memory.
   * @param {'a' | 'b'} side
   * @returns {import('../../draw/reorder/travel.js').Run[]}
   */
  #runs(side) {
    const { ready } = this.session;
    const first = this.session.addressIn(side);
    if (!ready || first === null) return [];
    return this.#cut(ready, first).flatMap(({ done, count }) => {
      const at = this.#placeOf(ready, side, first + done);
      return at ? [{ ...at, count }] : [];
    });
  }

  /**
   * The elements of the present step, cut where a row ends.
   * @param {Ready} ready
   * @param {...number} firsts addresses of the first one, in the memories whose rows count
   */
  #cut({ schedule, itemsize_bits, rowLength_elems }, ...firsts) {
    const { units, unit_bits } = schedule.stepAt(this.session.moment.step);
    const elements = (units * unit_bits) / itemsize_bits;
    const cuts = [];
    for (let done = 0; done < elements && cuts.length < MOST_PIECES; ) {
      const count = Math.min(elements - done, ...firsts.map((first) => rowLength_elems - ((first + done) % rowLength_elems)));
      cuts.push({ done, count });
      done += count;
    }
    return cuts;
  }

  /**
   * Where an address lies over both memories; null outside its window.
   * @param {Ready} ready
   * @param {'a' | 'b'} side
   * @param {number} address
   */
  #placeOf({ rowLength_elems }, side, address) {
    const { canvas, stage: { viewport } } = memoryOf(side);
    if (!viewport) return null;
    const rect = rectOf(viewport, cellOfAddress(address, rowLength_elems));
    if (!isSeen(viewport, rect)) return null;
    const box = canvas.getBoundingClientRect();
    const own = this.getBoundingClientRect();
    return { x: box.left - own.left + rect.x_css, y: box.top - own.top + rect.y_css, side: rect.size_css };
  }
});
