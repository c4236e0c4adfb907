/**
 * Combines any number of requests into one call per display frame.
 * @param {() => void} draw
 * @returns {{request: () => void, cancel: () => void}}
 */
export function createFrame(draw) {
  let pending = 0;
  return {
    request() {
      pending ||= requestAnimationFrame(() => {
        pending = 0;
        draw();
      });
    },
    cancel() {
      cancelAnimationFrame(pending);
      pending = 0;
    },
  };
}
