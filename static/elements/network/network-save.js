import { offerSaves } from '../shared/network/save.js';
import { find, NetworkPart } from '../shared/part.js';

/** Saves the drawing as it is shown: as SVG, as PNG, as a flowchart of Mermaid. */
customElements.define('network-save', class NetworkSave extends NetworkPart {
  /** @override */
  start() {
    const { session } = this;
    const drawn = () => {
      const scene = session.answer?.scene;
      if (!scene) return null;
      const { preset, show, rules } = session.state;
      const name = (preset || session.file || 'network').replace(/\.\w+$/, '');
      const svg = find(document, 'network-graph .window > svg', SVGSVGElement);
      return { scene, svg, name: `${name}-${show === 'plan' ? 'plan' : rules}` };
    };
    offerSaves(this, drawn, (problem) => session.complain(problem), this.signal);
    this.when('answer', () => { this.hidden = !session.answer?.scene; });
  }
});
