import { PRESET_GROUPS, presetOf } from '../../state/presets.js';
import { ExplorerPart, make, makeButton } from '../shared/part.js';

/** @import { Preset } from '../../state/presets.js' */

/** The worked examples, grouped by what they teach. */
customElements.define('preset-list', class PresetList extends ExplorerPart {
  /** @override */
  start() {
    /** @type {Map<Preset, HTMLButtonElement>} */
    const buttons = new Map();
    const groups = PRESET_GROUPS.map(({ learn, presets }, at) => {
      const items = presets.map((preset) => {
        const button = makeButton([preset.title], () => this.session.open(preset), { title: preset.see });
        buttons.set(preset, button);
        return make('li', {}, [button]);
      });
      const details = make('details', {}, [make('summary', {}, [learn]), make('ul', {}, items)]);
      details.open = at === 0;
      return details;
    });
    this.replaceChildren(...groups);
    this.follow(['story', 'state'], () => {
      const present = this.session.story?.preset ?? presetOf(this.session.state);
      for (const [preset, button] of buttons) button.setAttribute('aria-pressed', String(preset === present));
      const group = present && buttons.get(present)?.closest('details');
      if (group) group.open = true;
    });
  }
});
