import { rowLengthOf } from '../core/viewport.js';
import { itemsizeBits } from '../app/dtypes.js';
import { createFrame } from '../app/frame.js';
import { ExplorerPart } from '../app/part.js';

/** @typedef {import('../app/session.js').Session} Session */
/** @typedef {import('../app/types.js').Answer} Answer */

const BAR_CSS = 60;
const MOST_CELL_CSS = 40;

/** The memories of A and B, beside each other or stacked: whichever gives the larger cells. */
export class MemoryPair extends ExplorerPart {
  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const frame = createFrame(() => this.#arrange(session));
    const observer = new ResizeObserver(() => frame.request());
    observer.observe(this);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      frame.cancel();
    });
    let { rowLength } = session.state;
    session.on('answer', () => frame.request(), signal);
    session.on(
      'state',
      () => {
        if (rowLength !== session.state.rowLength) frame.request();
        rowLength = session.state.rowLength;
      },
      signal,
    );
  }

  /** @param {Session} session */
  #arrange({ answers, state }) {
    const { clientWidth: width_css, clientHeight: height_css } = this;
    const grids = [answers.a, answers.b].flatMap((answer) => gridOf(answer, state.rowLength));
    /** @param {number} across @param {number} down */
    const cellIn = (across, down) =>
      Math.min(MOST_CELL_CSS, ...grids.map(({ columns, rows }) => Math.min(across / columns, Math.max(1, down) / rows)));
    const beside_css = cellIn(width_css / 2, height_css - BAR_CSS);
    const stacked_css = cellIn(width_css, height_css / 2 - BAR_CSS);
    this.classList.toggle('stacked', grids.length === 2 && stacked_css > beside_css);
  }
}

/**
 * @param {Answer | null} answer
 * @param {Session['state']['rowLength']} wish
 */
function gridOf(answer, wish) {
  if (!answer?.tensor) return [];
  const columns = rowLengthOf(answer.tensor, wish, itemsizeBits(answer.description.dtype));
  return [{ columns, rows: Math.max(1, Math.ceil(answer.tensor.bufferElements / columns)) }];
}

customElements.define('memory-pair', MemoryPair);
