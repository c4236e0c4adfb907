import { drawSaved } from '../../draw/reorder/saved.js';
import { fileName, saveAs } from '../shared/files/save.js';
import { find, ReorderPart } from '../shared/part.js';

/** Saves both memories as they stand at the step, with the words of that step, as PNG. */
customElements.define('reorder-save', class ReorderSave extends ReorderPart {
  /** @override */
  start() {
    this.press('button', async () => {
      const { a, b } = this.session.fields.state;
      const name = [a.layout, b?.layout ?? '', 'step', String(this.session.moment.step)].map(fileName).filter(Boolean).join('-');
      const file = await picture();
      const said = find(document, '#share .said', HTMLElement);
      if (file) saveAs(file, `${name}.png`);
      said.textContent = file ? `Saved as ${name}.png.` : 'There is nothing to save yet.';
    });
  }
});

/** @returns {Promise<Blob | null>} null while no memory is drawn */
function picture() {
  const memories = [...document.querySelectorAll('reorder-memory')].map((memory) => ({
    words: `${find(memory, 'h2', HTMLElement).textContent ?? ''}  ${find(memory, '.about', HTMLElement).textContent ?? ''}`,
    canvases: [...memory.querySelectorAll('canvas')].filter((each) => each.width > 0 && each.height > 0),
  }));
  const now = find(document, 'reorder-line .now', HTMLElement);
  const { fontFamily: font, color: ink } = getComputedStyle(now);
  const { backgroundColor: ground } = getComputedStyle(find(document, '#stage', HTMLElement));
  const whole = drawSaved(memories, now.textContent ?? '', { font, ink, ground, pixelRatio: devicePixelRatio });
  return new Promise((resolve) => (whole ? whole.toBlob(resolve, 'image/png') : resolve(null)));
}
