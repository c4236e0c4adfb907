import { find, Part } from './shared/part.js';
import { chooseTheme, chosenTheme, readTheme } from './shared/theme.js';

/** @typedef {{theme: import('../core/types.js').Theme, tell: (topic: 'theme') => void}} Themed the session of any page */
/** @import { ThemeChoice } from './shared/theme.js' */

/**
 * The choice between light, dark and the system's setting.
 * @extends {Part<Themed>}
 */
export class ThemeSwitch extends Part {
  /** @override */
  start() {
    const { session } = this;
    const button = find(this, 'button', HTMLButtonElement);
    const apply = () => {
      session.theme = readTheme();
      session.tell('theme');
    };
    let choice = chosenTheme();
    const name = () => (button.title = button.ariaLabel = `Theme: ${choice}`);
    name();
    this.listen(button, 'click', () => {
      // From the system's setting the first press leads to the other theme, so that it is seen.
      const order = /** @type {ThemeChoice[]} */ (matchMedia('(prefers-color-scheme: dark)').matches ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light']);
      choice = order[(order.indexOf(choice) + 1) % order.length];
      name();
      chooseTheme(choice);
      apply();
    });
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) this.listen(matchMedia(query), 'change', apply);
  }
}

customElements.define('theme-switch', ThemeSwitch);
