import { mermaidText, pngOf, svgText } from '../../../draw/network/saved.js';
import { saveAs } from '../files/save.js';
import { find } from '../part.js';

/** @import { Part } from '../part.js' */

/** @typedef {{scene: import('../../../core/network/types.js').Scene, svg: SVGSVGElement, name: string}} Drawn name: of the file, without its ending */

/**
 * Lets the buttons of a part save its drawing as it is shown: their values are endings, svg, png or mmd.
 * @param {Part<{complain: (problem: string) => void}>} part
 * @param {() => Drawn | null} drawn
 */
export function offerSaves(part, drawn) {
  for (const button of find(part, '.saves', HTMLElement).querySelectorAll('button')) {
    part.listen(button, 'click', async () => {
      const now = drawn();
      if (!now) return;
      try {
        saveAs(await fileOf(now, button.value), `${now.name}.${button.value}`);
      } catch (error) {
        part.session.complain(`The drawing is not saved: ${error instanceof Error ? error.message : error}`);
      }
    });
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
