import { mermaidText, pngOf, svgText } from '../../../draw/network/saved.js';
import { saveAs } from '../files/save.js';
import { find } from '../part.js';

/** @typedef {{scene: import('../../../core/network/types.js').Scene, svg: SVGSVGElement, name: string}} Drawn name: of the file, without its ending */

/**
 * Lets the buttons below an element save a drawing as it is shown: their values are endings, svg, png or mmd.
 * @param {HTMLElement} element
 * @param {() => Drawn | null} drawn
 * @param {(problem: string) => void} complain
 * @param {AbortSignal} signal
 */
export function offerSaves(element, drawn, complain, signal) {
  for (const button of element.querySelectorAll('button')) {
    button.addEventListener(
      'click',
      async () => {
        const now = drawn();
        if (!now) return;
        try {
          saveAs(await fileOf(now, button.value), `${now.name}.${button.value}`);
        } catch (error) {
          complain(`The drawing is not saved: ${error instanceof Error ? error.message : error}`);
        }
      },
      { signal },
    );
  }
}

/**
 * @param {Drawn} drawn
 * @param {string} ending
 */
async function fileOf({ scene, svg }, ending) {
  if (ending === 'mmd') return new Blob([mermaidText(scene)], { type: 'text/plain' });
  const ground = getComputedStyle(find(document, '#stage', HTMLElement)).backgroundColor;
  const text = svgText(svg, scene, ground);
  return ending === 'png' ? pngOf(text, scene, ground) : new Blob([text], { type: 'image/svg+xml' });
}
