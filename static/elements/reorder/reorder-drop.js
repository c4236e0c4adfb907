import { otherReader, watchDrops } from '../shared/files/drops.js';
import { find, ReorderPart } from '../shared/part.js';

/** This page reads no files: it says which one reads what was dropped. */
customElements.define('reorder-drop', class ReorderDrop extends ReorderPart {
  /** @override */
  start() {
    const said = find(this, '.error', HTMLElement);
    watchDrops((file) => said.replaceChildren(...(otherReader(file) ?? [`No page reads ${file.name}.`])), this.signal);
  }
});
