/** @typedef {import('./stage.js').Stage} Stage */

/**
 * The buttons −, + and Fit above a grid.
 * @param {HTMLElement} view
 * @param {Stage} stage
 * @param {AbortSignal} signal
 */
export function watchZoomButtons(view, stage, signal) {
  view.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('[data-zoom]') : null;
      const step = button instanceof HTMLElement ? button.dataset.zoom : undefined;
      if (step === 'in' || step === 'out' || step === 'fit') stage.zoom(step);
    },
    { signal },
  );
}
