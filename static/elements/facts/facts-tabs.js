import { ExplorerPart } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** Tabs over the panels of facts, as in the ARIA practices: arrow keys open a tab at once. */
export class FactsTabs extends ExplorerPart {
  /**
   * @override
   * @param {Session} _session
   * @param {AbortSignal} signal
   */
  start(_session, signal) {
    const tabs = [...this.querySelectorAll('[role=tab]')].filter((tab) => tab instanceof HTMLElement);
    /** @param {HTMLElement} chosen */
    const choose = (chosen) => {
      for (const tab of tabs) {
        tab.setAttribute('aria-selected', String(tab === chosen));
        tab.tabIndex = tab === chosen ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
        if (panel) panel.hidden = tab !== chosen;
      }
    };
    for (const [at, tab] of tabs.entries()) {
      tab.addEventListener('click', () => choose(tab), { signal });
      tab.addEventListener(
        'keydown',
        (event) => {
          /** @type {Record<string, number>} */
          const targets = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
          const target = targets[event.key];
          if (target === undefined) return;
          event.preventDefault();
          const next = tabs[(target + tabs.length) % tabs.length];
          choose(next);
          next.focus();
        },
        { signal },
      );
    }
  }
}

customElements.define('facts-tabs', FactsTabs);
