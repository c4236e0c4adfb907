import { placesOf, paintersOf } from '../shared/reorder/places.js';
import { ReorderPart } from '../shared/part.js';
import { StripView } from '../shared/strip/strip-view.js';

/** @import { ReorderSession } from '../../state/reorder/session.js' */

/** The whole of one memory of a reorder as one line: what is read or written already, and where the window lies. */
customElements.define('reorder-strip', class ReorderStrip extends ReorderPart {
  /** @override */
  start() {
    const { session } = this;
    const { side } = this;
    const place = placesOf(session)[side];
    if (!place) throw new Error('the memory comes before its strip');
    const view = new StripView(
      this,
      place.stage,
      {
        memory: () => {
          const painter = paintersOf(session)?.[side];
          return painter && session.ready ? { painter, rowLength_elems: session.ready.rowLength_elems } : null;
        },
        marks: () => ({ chosen: addressOf(session, side), trail: [], touched: null }),
        reorder: { stepOf: () => session.ready?.stepOf?.[side] ?? null, done: () => session.done, side },
      },
      this.signal,
    );
    const begin = () => view.begin(`Window in memory ${side.toUpperCase()}`);
    this.follow('plan', begin);
  }
});

/**
 * @param {ReorderSession} session
 * @param {'a' | 'b'} side
 */
function addressOf({ ready, moment }, side) {
  if (!ready || ready.schedule.steps === 0) return null;
  const { source_address, target_address } = ready.schedule.stepAt(moment.step);
  return side === 'a' ? source_address : target_address;
}
