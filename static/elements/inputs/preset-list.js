import { PRESET_GROUPS, presetOf } from '../../state/presets.js';
import { ExplorerPart, make } from '../shared/part.js';

/** @import { Preset } from '../../state/presets.js' */

/** The worked examples, grouped by what they teach. */
customElements.define('preset-list', class PresetList extends ExplorerPart {
  /** @type {Map<Preset, HTMLButtonElement>} */
  #buttons = new Map();

  /** @override */
  start() {
    this.#buttons.clear();
    const groups = PRESET_GROUPS.map(({ learn, presets }, at) => {
      const items = presets.map((preset) => make('li', {}, [this.#button(preset, this.signal)]));
      const details = make('details', {}, [make('summary', {}, [learn]), make('ul', {}, items)]);
      details.open = at === 0;
      return details;
    });
    this.replaceChildren(...groups);
    this.follow('state', () => this.#mark());
  }

  /**
   * @param {Preset} preset
   * @param {AbortSignal} signal
   */
  #button(preset, signal) {
    const button = make('button', { type: 'button', title: preset.see }, [preset.title]);
    button.addEventListener('click', () => this.session.open(preset), { signal });
    this.#buttons.set(preset, button);
    return button;
  }

  #mark() {
    const { state } = this.session;
    const present = presetOf(state);
    for (const [preset, button] of this.#buttons) {
      button.setAttribute('aria-pressed', String(preset === present));
      const group = preset === present ? button.closest('details') : null;
      if (group) group.open = true;
    }
  }
});
