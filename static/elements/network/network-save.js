import { mermaidText, pngOf, svgText } from '../../draw/network/saved.js';
import { saveAs } from '../shared/files/save.js';
import { find, NetworkPart } from '../shared/part.js';

const TYPES = Object.freeze({ svg: 'image/svg+xml', mmd: 'text/plain' });

/** Saves the drawing as it is shown: as SVG, as PNG, as a flowchart of Mermaid. */
customElements.define('network-save', class NetworkSave extends NetworkPart {
  /** @override */
  start() {
    for (const button of this.querySelectorAll('button')) {
      this.listen(button, 'click', () => this.#save(button.value));
    }
    this.when('answer', () => { this.hidden = !this.session.answer?.scene; });
  }

  /** @param {string} ending of the file: svg, png or mmd */
  async #save(ending) {
    const { session } = this;
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
});
