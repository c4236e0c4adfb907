import { mermaidText, pngOf, svgText } from '../../draw/network/saved.js';
import { saveAs } from '../shared/files/save.js';
import { find, NetworkPart } from '../shared/part.js';

/** @typedef {import('../../state/network/session.js').NetworkSession} NetworkSession */

const TYPES = Object.freeze({ svg: 'image/svg+xml', mmd: 'text/plain' });

/** Saves the drawing as it is shown: as SVG, as PNG, as a flowchart of Mermaid. */
export class NetworkSave extends NetworkPart {
  /** @override @type {NetworkPart['start']} */
  start(session, signal) {
    for (const button of this.querySelectorAll('button')) {
      button.addEventListener('click', () => this.#save(session, button.value), { signal });
    }
    session.on('answer', () => { this.hidden = !session.answer?.scene; }, signal);
  }

  /**
   * @param {NetworkSession} session
   * @param {string} ending of the file: svg, png or mmd
   */
  async #save(session, ending) {
    const scene = session.answer?.scene;
    if (!scene) return;
    const svg = find(document, 'network-graph .window > svg', SVGSVGElement);
    const ground = getComputedStyle(find(document, '#stage', HTMLElement)).backgroundColor;
    try {
      const text = ending === 'mmd' ? mermaidText(scene) : svgText(svg, scene, ground);
      const whole =
        ending === 'png' ? await pngOf(text, scene, ground) : new Blob([text], { type: TYPES[ending === 'mmd' ? 'mmd' : 'svg'] });
      const name = (session.state.preset || session.file || 'network').replace(/\.\w+$/, '');
      saveAs(whole, `${name}-${session.state.show === 'plan' ? 'plan' : session.state.rules}.${ending}`);
    } catch (error) {
      session.complain(`The drawing is not saved: ${error instanceof Error ? error.message : error}`);
    }
  }
}

customElements.define('network-save', NetworkSave);
