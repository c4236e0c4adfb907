import { Touched } from '../../core/strip/touched.js';
import { walkerOf } from '../../state/walker.js';
import { chosenAddress, rowLengthFor, stagesOf } from '../shared/memories.js';
import { paintersOf } from '../shared/painters.js';
import { ExplorerPart } from '../shared/part.js';
import { StripView } from '../shared/strip/strip-view.js';

/** The whole of a memory as one line, under its grid. */
customElements.define('memory-strip', class MemoryStrip extends ExplorerPart {
  /** @type {{of: readonly unknown[], touched: Touched} | null} */
  #sliced = null;

  /** @override */
  start() {
    const { session } = this;
    const stage = stagesOf(session)[this.side];
    if (!stage) throw new Error('the memory comes before its strip');
    const view = new StripView(
      this,
      stage,
      {
        memory: () => {
          const painter = paintersOf(session, this.side)?.memory;
          return painter ? { painter, rowLength_elems: rowLengthFor(session, this.side) } : null;
        },
        marks: (places) => ({ chosen: chosenAddress(session, this.side), trail: this.#trail(), touched: this.#touched(places) }),
      },
      this.signal,
    );
    this.follow('answer', () => view.begin(session.answers.b ? `Window in memory ${this.side.toUpperCase()}` : 'Window in memory'));
  }

  #trail() {
    const walker = walkerOf(this.session);
    const tensor = this.session.answers[this.side]?.tensor;
    if (!walker.walk || !tensor) return [];
    const own = walker.side === this.side;
    return walker.trail.flatMap(({ address, coords }) => {
      if (own) return [address];
      return coords?.length === tensor.shape.length ? [tensor.addressOf(coords)] : [];
    });
  }

  /** @param {number} places */
  #touched(places) {
    const tensor = this.session.answers[this.side]?.tensor;
    const slice = tensor ? this.session.picksFor(tensor) : null;
    if (!tensor || !slice) return null;
    const of = [tensor, this.session.picks, places];
    if (!this.#sliced || this.#sliced.of.some((part, at) => part !== of[at])) {
      this.#sliced = { of, touched: new Touched(tensor, slice, places) };
    }
    return this.#sliced.touched;
  }
});
