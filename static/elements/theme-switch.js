import { find, Part } from './shared/part.js';
import { chooseTheme, chosenTheme, readTheme } from './shared/theme.js';

/** @typedef {{theme: import('../core/types.js').Theme, tell: (topic: 'theme') => void}} Themed the session of any page */
/** @import { ThemeChoice } from './shared/theme.js' */

/** @type {Record<ThemeChoice, ThemeChoice>} */
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };

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
      choice = NEXT[choice];
      name();
      chooseTheme(choice);
      apply();
    });
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) this.listen(matchMedia(query), 'change', apply);
  }
}

customElements.define('theme-switch', ThemeSwitch);
