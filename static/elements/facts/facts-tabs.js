import { ExplorerPart } from '../shared/part.js';

/** @import { Session } from '../../state/session.js' */

/** Tabs over the panels of facts, as in the ARIA practices: arrow keys open a tab at once. */
customElements.define('facts-tabs', class FactsTabs extends ExplorerPart {
  /** @override */
  start() {
    const tabs = [...this.querySelectorAll('[role=tab]')].filter((tab) => tab instanceof HTMLElement);
    const names = tabs.map(({ id }) => /** @type {Session['state']['tab']} */ (id.replace(/^tab-/, '')));
    const choose = (/** @type {number} */ at) => this.session.change({ tab: names[at] });
    const show = () => {
      this.page.dataset.tab = this.session.state.tab;
      for (const [at, tab] of tabs.entries()) {
        const chosen = names[at] === this.session.state.tab;
        tab.setAttribute('aria-selected', String(chosen));
        tab.tabIndex = chosen ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
        if (panel) panel.hidden = !chosen;
      }
    };
    this.follow('state', show);
    for (const [at, tab] of tabs.entries()) {
      this.listen(tab, 'click', () => choose(at));
      this.listen(tab, 'keydown', (event) => {
        /** @type {Record<string, number>} */
        const targets = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
        const target = targets[event.key];
        if (target === undefined) return;
        event.preventDefault();
        const next = (target + tabs.length) % tabs.length;
        choose(next);
        tabs[next].focus();
      });
    }
  }
});
