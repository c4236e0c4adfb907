import { mapSize, seen } from '../../../core/network/overview.js';
import { shape } from '../../../draw/network/picture.js';

/** @import { Scene } from '../../../core/network/types.js' */
/** @import { View, Size } from '../../../core/network/viewport.js' */

/** A small map of the whole drawing, with the part that the window shows; hidden where that is all of it. */
export class Overview {
  #svg = shape('svg', { class: 'map', 'aria-hidden': 'true' });
  #boxes = shape('path', { class: 'parts' });
  #here = shape('path', { class: 'here' });
  /** @type {Scene | null} */
  #scene = null;

  /**
   * @param {HTMLElement} area the part with the drawing
   * @param {(point: {x: number, y: number}) => void} go called with the point of the drawing that was pressed
   * @param {AbortSignal} signal
   */
  constructor(area, go, signal) {
    this.#svg.append(this.#boxes, this.#here);
    area.append(this.#svg);
    /** @param {PointerEvent} event */
    const point = (event) => {
      event.stopPropagation();
      if (!this.#scene || (event.type === 'pointermove' && event.buttons === 0)) return;
      if (event.type === 'pointerdown') this.#svg.setPointerCapture(event.pointerId);
      const { left, top } = this.#svg.getBoundingClientRect();
      const { scale } = mapSize(this.#scene);
      go({ x: (event.clientX - left) / scale, y: (event.clientY - top) / scale });
    };
    // The keys stay with the drawing.
    this.#svg.addEventListener('mousedown', (event) => event.preventDefault(), { signal });
    for (const type of /** @type {const} */ (['pointerdown', 'pointermove'])) {
      this.#svg.addEventListener(type, point, { signal });
    }
  }

  /** @param {Scene | null} scene */
  draw(scene) {
    this.#scene = scene;
    if (!scene) return;
    const { width, height } = mapSize(scene);
    this.#svg.setAttribute('viewBox', `0 0 ${scene.width} ${scene.height}`);
    this.#svg.style.width = `${width}px`;
    this.#svg.style.height = `${height}px`;
    this.#boxes.setAttribute(
      'd',
      scene.boxes.map((box) => `M${box.x - box.width / 2} ${box.y - box.height / 2}h${box.width}v${box.height}h${-box.width}z`).join(''),
    );
  }

  /**
   * @param {View} view
   * @param {Size} window
   */
  show(view, window) {
    if (!this.#scene) return;
    const { whole, x, y, width, height } = seen(view, window, this.#scene);
    this.#svg.classList.toggle('whole', whole);
    this.#here.setAttribute('d', `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${-width.toFixed(1)}z`);
  }
}
