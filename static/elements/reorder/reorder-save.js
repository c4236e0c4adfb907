import { fileName, saveAs } from '../shared/files/save.js';
import { find, ReorderPart } from '../shared/part.js';

const MARGIN_CSS = 16;
const LINE_CSS = 24;

/** Saves both memories as they stand at the step, with the words of that step, as PNG. */
customElements.define('reorder-save', class ReorderSave extends ReorderPart {
  /** @override */
  start() {
    const button = find(this, 'button', HTMLButtonElement);
    this.listen(button, 'click', async () => {
      const { a, b } = this.session.fields.state;
      const name = [a.layout, b?.layout ?? '', 'step', String(this.session.moment.step)].map(fileName).filter(Boolean).join('-');
      const file = await pictureOf(document);
      const said = find(document, '#share .said', HTMLElement);
      if (file) saveAs(file, `${name}.png`);
      said.textContent = file ? `Saved as ${name}.png.` : 'There is nothing to save yet.';
    });
  }
});

/**
 * @param {Document} page
 * @returns {Promise<Blob | null>}
 */
function pictureOf(page) {
  const memories = [...page.querySelectorAll('reorder-memory')].map((memory) => ({
    words: `${find(memory, 'h2', HTMLElement).textContent ?? ''}  ${find(memory, '.about', HTMLElement).textContent ?? ''}`,
    canvases: [...memory.querySelectorAll('canvas')].filter((each) => each.width > 0 && each.height > 0),
  }));
  const now = find(page, 'reorder-line .now', HTMLElement).textContent ?? '';
  const { fontFamily, color } = getComputedStyle(find(page, 'reorder-line .now', HTMLElement));
  const ratio = devicePixelRatio;
  const [margin, line] = [MARGIN_CSS * ratio, LINE_CSS * ratio];
  const wide = Math.max(...memories.map(({ canvases }) => canvases.reduce((sum, { width }) => sum + width, 0)));
  const high = memories.reduce((sum, { canvases }) => sum + line + Math.max(0, ...canvases.map(({ height }) => height)) + margin, 0);
  const whole = Object.assign(document.createElement('canvas'), { width: wide + 2 * margin, height: high + line + 2 * margin });
  const context = whole.getContext('2d');
  if (!context || wide <= 0) return Promise.resolve(null);
  context.fillStyle = getComputedStyle(find(page, '#stage', HTMLElement)).backgroundColor;
  context.fillRect(0, 0, whole.width, whole.height);
  context.fillStyle = color;
  context.textBaseline = 'middle';
  context.font = `${13 * ratio}px ${fontFamily}`;
  let y = margin;
  for (const { words, canvases } of memories) {
    context.fillText(words, margin, y + line / 2);
    y += line;
    let x = margin;
    for (const canvas of canvases) {
      context.drawImage(canvas, x, y);
      x += canvas.width;
    }
    y += Math.max(0, ...canvases.map(({ height }) => height)) + margin;
  }
  context.fillText(now, margin, y + line / 2);
  return new Promise((resolve) => whole.toBlob(resolve, 'image/png'));
}
