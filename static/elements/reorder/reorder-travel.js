import { cellOfAddress } from '../../core/grid/memory.js';
import { rectOf } from '../../core/grid/viewport.js';
import { isSeen } from '../../draw/frames.js';
import { drawTravel } from '../../draw/reorder/travel.js';
import { createFrame, sizeCanvas } from '../shared/frame.js';
import { find, ReorderPart } from '../shared/part.js';
import { MEMORY_DRAWN, paintersOf, placesOf } from '../shared/reorder/places.js';

/** @import { Piece } from '../../draw/reorder/travel.js' */
/** @import { Place } from '../shared/reorder/places.js' */

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
    const [a, b] = [placesOf(this.session).a, placesOf(this.session).b].map((place) => place?.canvas.getBoundingClientRect() ?? own);
    return b.left > a.right ? { x: a.right - own.left + ROOM_CSS, end: b.left - own.left - RAIL_CSS } : { y: a.bottom - own.top + ROOM_CSS };
  }

  /** @returns {Piece[]} */
  #pieces() {
    const { ready, moment } = this.session;
    const { a, b } = placesOf(this.session);
    const painters = paintersOf(this.session);
    if (!ready || !a || !b || !painters || ready.schedule.steps === 0) return [];
    const { rowLength_elems, tensors } = ready;
    const { source_address, target_address } = ready.schedule.stepAt(moment.step);
    const textOf = painters.b.textOf('auto', null);
    /** @type {Piece[]} */
    const pieces = [];
    for (const { done, count } of this.#cut(ready, target_address, source_address ?? target_address)) {
      const written = target_address + done;
      const read = source_address === null ? null : source_address + done;
      const to = this.#placeOf(b, written, rowLength_elems);
      const from = read === null ? null : this.#placeOf(a, read, rowLength_elems);
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
    const place = placesOf(this.session)[side];
    const first = this.session.addressIn(side);
    if (!ready || !place || first === null) return [];
    return this.#cut(ready, first).flatMap(({ done, count }) => {
      const at = this.#placeOf(place, first + done, ready.rowLength_elems);
      return at ? [{ ...at, count }] : [];
    });
  }

  /**
   * The elements of the present step, cut where a row ends.
   * @param {import('../../state/reorder/types.js').Ready} ready
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
   * @param {Place} place
   * @param {number} address
   * @param {number} rowLength_elems
   */
  #placeOf({ canvas, stage }, address, rowLength_elems) {
    const { viewport } = stage;
    if (!viewport) return null;
    const rect = rectOf(viewport, cellOfAddress(address, rowLength_elems));
    if (!isSeen(viewport, rect)) return null;
    const box = canvas.getBoundingClientRect();
    const own = this.getBoundingClientRect();
    return { x: box.left - own.left + rect.x_css, y: box.top - own.top + rect.y_css, side: rect.size_css };
  }
});
