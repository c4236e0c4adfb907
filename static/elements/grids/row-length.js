import { rowLengthFor } from '../shared/memories.js';
import { ExplorerPart, find } from '../shared/part.js';

/** The choice of how many addresses a row of memory has: by the layout, a cache line, or a number. */
customElements.define('row-length', class RowLength extends ExplorerPart {
  /** @override */
  start() {
    const { session } = this;
    const select = find(this, 'select', HTMLSelectElement);
    const input = find(this, 'input', HTMLInputElement);
    /** @param {'auto' | 'line' | number} rowLength @param {'push' | 'replace'} mark */
    const take = (rowLength, mark) => session.change({ rowLength, view: Object.freeze({ ...session.state.view, memory: null, memoryB: null }) }, mark);
    this.listen(select, 'change', () => {
      const wish = select.value;
      take(wish === 'auto' || wish === 'line' ? wish : session.answers.a?.tensor ? rowLengthFor(session, 'a') : 16, 'push');
    });
    this.listen(input, 'input', () => {
      const rowLength = Number(input.value);
      // While the field is empty or incomplete, the last drawing stays.
      if (Number.isSafeInteger(rowLength) && rowLength >= 1) take(rowLength, 'replace');
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
