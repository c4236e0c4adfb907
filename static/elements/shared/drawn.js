/** @import { Sign } from '../../draw/types.js' */

/**
 * What a grid shows at the moment.
 * @typedef {object} Drawn
 * @property {'logical' | 'a' | 'b'} grid
 * @property {ReadonlySet<Sign>} signs
 * @property {number} rowLength_elems addresses per row; 0 for the logical tensor
 */

export const DRAWN = 'drawn';

/** @type {WeakMap<HTMLElement, string>} */
const told = new WeakMap();

/**
 * Tells the elements around a grid what its last frame shows, where that has changed.
 * @param {HTMLElement} element
 * @param {Drawn} drawn
 */
export function tellDrawn(element, drawn) {
  const key = [...drawn.signs, drawn.rowLength_elems].join();
  if (told.get(element) === key) return;
  told.set(element, key);
  element.dispatchEvent(new CustomEvent(DRAWN, { bubbles: true, detail: drawn }));
}
