import { ExplorerPart } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */
/** @typedef {Session['state']['tab']} Tab */

/** Tabs over the panels of facts, as in the ARIA practices: arrow keys open a tab at once. */
customElements.define('facts-tabs', class FactsTabs extends ExplorerPart {
  /** @override */
  start() {
    const tabs = [...this.querySelectorAll('[role=tab]')].filter((tab) => tab instanceof HTMLElement);
    /** @param {HTMLElement} tab */
    const choose = (tab) => this.session.change({ tab: /** @type {Tab} */ (nameOf(tab)) });
    const show = () => {
      this.page.dataset.tab = this.session.state.tab;
      for (const tab of tabs) {
        const chosen = nameOf(tab) === this.session.state.tab;
        tab.setAttribute('aria-selected', String(chosen));
        tab.tabIndex = chosen ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
        if (panel) panel.hidden = !chosen;
      }
    };
    this.follow('state', show);
    for (const [at, tab] of tabs.entries()) {
      this.listen(tab, 'click', () => choose(tab));
      this.listen(tab, 'keydown', (event) => {
        /** @type {Record<string, number>} */
        const targets = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
        const target = targets[event.key];
        if (target === undefined) return;
        event.preventDefault();
        const next = tabs[(target + tabs.length) % tabs.length];
        choose(next);
        next.focus();
      });
    }
  }
});

/** @param {HTMLElement} tab */
function nameOf(tab) {
  return tab.id.replace(/^tab-/, '');
}
