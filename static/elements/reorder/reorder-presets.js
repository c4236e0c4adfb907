import { presetShown, REORDER_PRESETS } from '../../state/reorder/presets.js';
import { find, make, ReorderPart } from '../shared/part.js';

/** Reorders to begin with, and the button that exchanges A and B. */
customElements.define('reorder-presets', class ReorderPresets extends ReorderPart {
  /** @override */
  start() {
    const { fields } = this.session;
    const buttons = REORDER_PRESETS.map((preset) => {
      const button = make('button', { type: 'button', title: preset.see }, [preset.name]);
      this.listen(button, 'click', () => this.session.open(preset));
      return button;
    });
    find(this, 'ul', HTMLUListElement).replaceChildren(...buttons.map((button) => make('li', {}, [button])));
    this.listen(find(document, '#swap', HTMLButtonElement), 'click', () => this.session.exchange());
    const mark = () => {
      const present = presetShown(fields.state);
      for (const [at, button] of buttons.entries()) button.setAttribute('aria-pressed', String(REORDER_PRESETS[at] === present));
      this.say('.see', present?.see ?? '');
    };
    fields.on('state', mark, this.signal);
    mark();
  }
});
