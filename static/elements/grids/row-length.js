import { rowLengthFor } from '../shared/memories.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */

/** The choice of how many addresses a row of memory has: by the layout, a cache line, or a number. */
customElements.define('row-length', class RowLength extends ExplorerPart {
  /** @override */
  start() {
    const { session } = this;
    const select = find(this, 'select', HTMLSelectElement);
    const input = find(this, 'input', HTMLInputElement);
    this.listen(select, 'change', () => {
      const wish = select.value;
      const rowLength = wish === 'auto' || wish === 'line' ? wish : session.answers.a?.tensor ? rowLengthFor(session, 'a') : 16;
      session.change({ rowLength, view: withoutMemories(session) }, 'push');
    });
    this.listen(input, 'input', () => {
      const rowLength = Number(input.value);
      // While the field is empty or incomplete, the last drawing stays.
      if (Number.isSafeInteger(rowLength) && rowLength >= 1) {
        session.change({ rowLength, view: withoutMemories(session) });
      }
    });
    this.follow('state', () => {
      const { state } = session;
      const custom = typeof state.rowLength === 'number';
      select.value = custom ? 'number' : String(state.rowLength);
      input.hidden = !custom;
      if (custom && Number(input.value) !== state.rowLength) input.value = String(state.rowLength);
    });
  }
});

/** @param {Session} session */
function withoutMemories({ state }) {
  return Object.freeze({ ...state.view, memory: null, memoryB: null });
}
