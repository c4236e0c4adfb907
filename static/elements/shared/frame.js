/**
 * Combines any number of requests into one call, before the next display frame if there is time: what an answer changes
 * is drawn while the frame is awaited.
 * @param {() => void} draw
 * @param {AbortSignal} signal ends it
 * @param {{apart?: boolean}} [how] apart: not before the frame and not in its own event, but in one after it, before the
 *   next frame: large drawings that follow each other in one event would keep the page from answering
 * @returns {() => void} requests a call
 */
export function createFrame(draw, signal, { apart = false } = {}) {
  let pending = 0;
  function run() {
    pending = 0;
    draw();
  }
  function wait() {
    const next = requestAnimationFrame(run);
    pending = next;
    setTimeout(() => {
      if (pending !== next) return;
      cancelAnimationFrame(next);
      run();
    });
  }
  signal.addEventListener('abort', () => {
    cancelAnimationFrame(pending);
    pending = 0;
  });
  return () => {
    if (pending) return;
    if (apart) pending = requestAnimationFrame(wait);
    else wait();
  };
}

/**
 * Calls back when the size of an element has changed, and once at first.
 * @param {readonly Element[]} elements
 * @param {(entries: ResizeObserverEntry[]) => unknown} act
 * @param {AbortSignal} signal ends it
 */
export function watchSize(elements, act, signal) {
  const observer = new ResizeObserver(act);
  for (const element of elements) observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}

/**
 * Gives a canvas the pixels of its size on the screen; one that has them keeps its drawing.
 * @param {HTMLCanvasElement} canvas
 * @param {{width_css: number, height_css: number}} size
 */
export function sizeCanvas(canvas, { width_css, height_css }) {
  const width = Math.round(width_css * devicePixelRatio);
  const height = Math.round(height_css * devicePixelRatio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * Lays an element over a canvas.
 * @param {HTMLElement} element
 * @param {HTMLCanvasElement} canvas
 */
export function layOver({ style }, { offsetLeft, offsetTop, offsetWidth, offsetHeight }) {
  style.left = `${offsetLeft}px`;
  style.top = `${offsetTop}px`;
  style.width = `${offsetWidth}px`;
  style.height = `${offsetHeight}px`;
}

/**
 * Gives a canvas a size on the screen, and its pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {{width_css: number, height_css: number}} size
 */
export function fixCanvas(canvas, size) {
  sizeCanvas(canvas, size);
  canvas.style.width = `${size.width_css}px`;
  canvas.style.height = `${size.height_css}px`;
}
