import { presetShown, REORDER_PRESETS } from '../../state/reorder/presets.js';
import { find, make, makeButton, ReorderPart } from '../shared/part.js';

/** Reorders to begin with, and the button that exchanges A and B. */
customElements.define('reorder-presets', class ReorderPresets extends ReorderPart {
  /** @override */
  start() {
    const { fields } = this.session;
    const buttons = REORDER_PRESETS.map((preset) => makeButton([preset.name], () => this.session.open(preset), { title: preset.see }));
    find(this, 'ul', HTMLUListElement).replaceChildren(...buttons.map((button) => make('li', {}, [button])));
    this.listen(find(document, '#swap', HTMLButtonElement), 'click', () => this.session.exchange());
    const mark = () => {
      const present = presetShown(fields.state);
      for (const [at, button] of buttons.entries()) button.setAttribute('aria-pressed', String(REORDER_PRESETS[at] === present));
      this.say('.title', present?.name ?? 'Your own reorder');
      this.say('.see', present?.see ?? '');
    };
    fields.on('state', mark, this.signal);
    mark();
  }
});
