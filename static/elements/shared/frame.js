/**
 * Combines any number of requests into one call per display frame.
 * @param {() => void} draw
 * @param {{apart?: boolean}} [how] apart: not in the frame's own event, but in one of its own after it, before the
 *   next frame: large drawings that follow each other in one event would keep the page from answering
 * @returns {{request: () => void, cancel: () => void}}
 */
export function createFrame(draw, { apart = false } = {}) {
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
  return {
    request() {
      pending ||= requestAnimationFrame(apart ? wait : run);
    },
    cancel() {
      cancelAnimationFrame(pending);
      pending = 0;
    },
  };
}
