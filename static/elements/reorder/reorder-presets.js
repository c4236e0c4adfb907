import { presetShown, REORDER_PRESETS } from '../../state/reorder/presets.js';
import { find, make, ReorderPart } from '../shared/part.js';

/** Reorders to begin with, and the button that exchanges A and B. */
export class ReorderPresets extends ReorderPart {
  /** @override @type {ReorderPart['start']} */
  start(session, signal) {
    const { fields } = session;
    const buttons = REORDER_PRESETS.map((preset) => {
      const button = make('button', { type: 'button', title: preset.see }, [preset.name]);
      button.addEventListener('click', () => session.open(preset), { signal });
      return button;
    });
    find(this, 'ul', HTMLUListElement).replaceChildren(...buttons.map((button) => make('li', {}, [button])));
    find(document, '#swap', HTMLButtonElement).addEventListener('click', () => session.exchange(), { signal });
    const mark = () => {
      const present = presetShown(fields.state);
      for (const [at, button] of buttons.entries()) button.setAttribute('aria-pressed', String(REORDER_PRESETS[at] === present));
      find(this, '.see', HTMLElement).textContent = present?.see ?? '';
    };
    fields.on('state', mark, signal);
    mark();
  }
}

customElements.define('reorder-presets', ReorderPresets);
