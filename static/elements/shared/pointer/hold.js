/**
 * Follows a pointer that was pressed, until it is let go.
 * @param {HTMLElement} element that keeps the pointer
 * @param {PointerEvent} down
 * @param {(event: PointerEvent) => void} move
 * @param {AbortSignal} signal ends it
 * @param {(event: PointerEvent) => void} [end] called when the pointer is let go, or is taken away by `pointercancel`
 */
export function hold(element, down, move, signal, end = () => {}) {
  const held = new AbortController();
  const until = { signal: AbortSignal.any([signal, held.signal]) };
  element.setPointerCapture(down.pointerId);
  element.addEventListener('pointermove', move, until);
  for (const type of /** @type {const} */ (['pointerup', 'pointercancel'])) {
    element.addEventListener(
      type,
      (event) => {
        held.abort();
        end(event);
      },
      until,
    );
  }
}
