import { rowLengthFor } from '../shared/memories.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** The choice of how many addresses a row of memory has: by the layout, a cache line, or a number. */
export class RowLength extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const select = find(this, 'select', HTMLSelectElement);
    const input = find(this, 'input', HTMLInputElement);
    select.addEventListener(
      'change',
      () => {
        const wish = select.value;
        const rowLength = wish === 'auto' || wish === 'line' ? wish : presentLength(session);
        session.change({ rowLength, view: withoutMemories(session) }, 'push');
      },
      { signal },
    );
    input.addEventListener(
      'input',
      () => {
        const rowLength = Number(input.value);
        // While the field is empty or incomplete, the last drawing stays.
        if (Number.isSafeInteger(rowLength) && rowLength >= 1) {
          session.change({ rowLength, view: withoutMemories(session) });
        }
      },
      { signal },
    );
    session.on('state', () => this.#fill(session), signal);
    this.#fill(session);
  }

  /** @param {Session} session */
  #fill({ state }) {
    const select = find(this, 'select', HTMLSelectElement);
    const input = find(this, 'input', HTMLInputElement);
    const custom = typeof state.rowLength === 'number';
    select.value = custom ? 'number' : String(state.rowLength);
    input.hidden = !custom;
    if (custom && Number(input.value) !== state.rowLength) input.value = String(state.rowLength);
  }
}

/** @param {Session} session */
function presentLength(session) {
  return session.answers.a?.tensor ? rowLengthFor(session, 'a') : 16;
}

/** @param {Session} session */
function withoutMemories({ state }) {
  return Object.freeze({ ...state.view, memory: null, memoryB: null });
}

customElements.define('row-length', RowLength);
