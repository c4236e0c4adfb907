/**
 * What a pointer does on a canvas, in CSS pixels from its upper left corner.
 * @typedef {object} GestureHandlers
 * @property {(x_css: number, y_css: number) => void} hover
 * @property {() => void} leave
 * @property {(x_css: number, y_css: number) => void} press and release, without a drag
 * @property {(dx_css: number, dy_css: number) => boolean | void} drag false where it moved nothing up or down
 * @property {(factor: number, x_css: number, y_css: number) => boolean} zoom true where it changed the view
 */

const DRAG_SLACK_CSS = 4;
const WHEEL_LINE_CSS = 16;
const WHEEL_PER_E_FOLD_CSS = 400;

/**
 * Pointer, wheel and pinch on a canvas.
 * @param {HTMLElement} canvas
 * @param {GestureHandlers} handlers
 * @param {AbortSignal} signal ends every listener
 */
export function watchGestures(canvas, handlers, signal) {
  /** @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  let dragged = false;
  /** Where the last finger was lifted, of a press that may follow. @type {{x: number, y: number} | undefined} */
  let pressed;

  /** @param {PointerEvent | WheelEvent} event */
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    const point = at(event);
    const before = down.get(event.pointerId);
    if (!before) {
      handlers.hover(point.x, point.y);
      return;
    }
    const dx_css = point.x - before.x;
    const dy_css = point.y - before.y;
    if (!dragged && down.size === 1 && Math.hypot(dx_css, dy_css) < DRAG_SLACK_CSS) return;
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, point);
    // Where a finger may scroll the page, the browser takes it after its first move.
    const first = !dragged && !other && event.pointerType === 'touch' && getComputedStyle(canvas).touchAction !== 'none';
    dragged = true;
    if (first) return;
    if (!other) {
      if (handlers.drag(dx_css, dy_css) !== false || event.pointerType !== 'touch') return;
      // At the end of the grid a finger goes on to scroll the page, and the canvas with it.
      scrollBy(0, -dy_css);
      down.set(event.pointerId, at(event));
      return;
    }
    const spread = (/** @type {{x: number, y: number}} */ p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
    handlers.zoom(spread(point) / spread(before), (point.x + other.x) / 2, (point.y + other.y) / 2);
    handlers.drag(dx_css / 2, dy_css / 2);
  };

  /** @param {PointerEvent} event */
  const end = (event) => {
    pressed = dragged ? undefined : down.get(event.pointerId);
    down.delete(event.pointerId);
    if (down.size === 0) dragged = false;
  };

  const begin = (/** @type {PointerEvent} */ event) => {
    pressed = undefined;
    // A press beside an open popover only closes that.
    if (event.button !== 0 || document.querySelector(':popover-open')) return;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, at(event));
  };
  canvas.addEventListener('pointerdown', begin, { signal });
  canvas.addEventListener('pointermove', move, { signal });
  canvas.addEventListener('pointerup', end, { signal });
  canvas.addEventListener('pointercancel', end, { signal });
  // Not when it is lifted: the click of a finger falls on what is there then, so nothing may have opened yet.
  const press = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (pressed) handlers.press(pressed.x, pressed.y);
    pressed = undefined;
  };
  canvas.addEventListener('click', press, { signal });
  // A finger that is lifted leaves what it chose; and a press in WebKit ends with a leave where the pointer still is.
  const left = (/** @type {PointerEvent} */ { pointerType, clientX, clientY }) => pointerType !== 'touch' && document.elementFromPoint(clientX, clientY) !== canvas;
  canvas.addEventListener('pointerleave', (event) => left(event) && handlers.leave(), { signal });
  const wheel = (/** @type {WheelEvent} */ event) => {
    const line_css = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_CSS : 1;
    const { x, y } = at(event);
    if (event.shiftKey) {
      // With shift, some systems report a vertical wheel as a horizontal one.
      handlers.drag(0, -(event.deltaY || event.deltaX) * line_css);
      event.preventDefault();
    } else if (handlers.zoom(Math.exp((-event.deltaY * line_css) / WHEEL_PER_E_FOLD_CSS), x, y)) {
      event.preventDefault();
    }
  };
  canvas.addEventListener('wheel', wheel, { signal, passive: false });
}
