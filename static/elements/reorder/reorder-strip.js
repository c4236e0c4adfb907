import { paintersOf } from '../shared/reorder/painters.js';
import { ReorderPart } from '../shared/part.js';
import { StripView } from '../shared/strip/strip-view.js';
import { memoryOf } from './reorder-memory.js';

/** The whole of one memory of a reorder as one line: what is read or written already, and where the window lies. */
customElements.define('reorder-strip', class ReorderStrip extends ReorderPart {
  /** @override */
  start() {
    const { session, side } = this;
    const view = new StripView(
      this,
      memoryOf(side).stage,
      {
        memory: () => {
          const painter = paintersOf(session)?.[side];
          return painter && session.ready ? { painter, rowLength_elems: session.ready.rowLength_elems } : null;
        },
        marks: () => ({ chosen: session.addressIn(side), trail: [], touched: null }),
        reorder: { stepOf: () => session.ready?.stepOf?.[side] ?? null, done: () => session.done, side },
      },
      this.signal,
    );
    this.follow('plan', () => view.begin(`Window in memory ${side.toUpperCase()}`));
  }
});
