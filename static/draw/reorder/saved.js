const MARGIN_CSS = 16;
const LINE_CSS = 24;
const WORDS_CSS = 13;

/**
 * Both memories of a reorder in one picture, each below its words, with the words of the step at the end.
 * @param {readonly {words: string, canvases: readonly HTMLCanvasElement[]}[]} memories
 * @param {string} now
 * @param {{font: string, ink: string, ground: string, pixelRatio: number}} style
 * @returns {HTMLCanvasElement | null} null where there is nothing to draw
 */
export function drawSaved(memories, now, { font, ink, ground, pixelRatio }) {
  const [margin, line] = [MARGIN_CSS * pixelRatio, LINE_CSS * pixelRatio];
  const wide = Math.max(...memories.map(({ canvases }) => canvases.reduce((sum, { width }) => sum + width, 0)));
  const high = memories.reduce((sum, { canvases }) => sum + line + Math.max(0, ...canvases.map(({ height }) => height)) + margin, 0);
  const whole = Object.assign(document.createElement('canvas'), { width: wide + 2 * margin, height: high + line + 2 * margin });
  const context = whole.getContext('2d');
  if (!context || wide <= 0) return null;
  context.fillStyle = ground;
  context.fillRect(0, 0, whole.width, whole.height);
  context.fillStyle = ink;
  context.textBaseline = 'middle';
  context.font = `${WORDS_CSS * pixelRatio}px ${font}`;
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
  return whole;
}
