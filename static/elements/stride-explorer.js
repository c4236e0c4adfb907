import { formatState, parseState } from '../core/permalink.js';
import { ExplorerPart } from '../app/part.js';
import { FIRST, stateOf } from '../app/presets.js';
import { Session } from '../app/session.js';
import { chooseTheme, chosenTheme, readTheme } from '../app/theme.js';
import './address-sum.js';
import './facts-side.js';
import './facts-tabs.js';
import './layout-code.js';
import './layout-facts.js';
import './layout-field.js';
import './layout-notations.js';
import './layout-reading.js';
import './lesson-note.js';
import './logical-view.js';
import './memory-pair.js';
import './memory-view.js';
import './paste-note.js';
import './preset-list.js';
import './row-length.js';
import './slice-result.js';
import './state-select.js';
import './tensor-field.js';
import './tensor-problem.js';
import './theme-switch.js';
import './value-source.js';

const URL_DELAY_MS = 250;
const FOLDED = '(max-width: 60rem)';

/** The explorer: starts the session, gives it to every part and keeps it in the address bar. */
export class StrideExplorer extends HTMLElement {
  #stop = new AbortController();
  #timer = 0;

  connectedCallback() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    chooseTheme(chosenTheme());
    const session = new Session(stateOfAddress(), readTheme());
    for (const part of this.querySelectorAll('*')) {
      if (part instanceof ExplorerPart) part.join(session);
    }
    session.on('state', () => this.#keep(session), signal);
    window.addEventListener('popstate', () => session.restore(stateOfAddress(), 'none'), { signal });
    this.#fold(signal);
    session.ask();
  }

  disconnectedCallback() {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /**
   * Browsers refuse a hundred entries in a few seconds, so a drag writes the address once it rests.
   * @param {Session} session
   */
  #keep(session) {
    clearTimeout(this.#timer);
    if (session.mark === 'none') return;
    const write = () => history.replaceState(null, '', `?${formatState(session.state)}`);
    if (session.mark === 'push') history.pushState(null, '', `?${formatState(session.state)}`);
    else this.#timer = window.setTimeout(write, URL_DELAY_MS);
  }

  /** @param {AbortSignal} signal */
  #fold(signal) {
    const narrow = matchMedia(FOLDED);
    const apply = () => {
      for (const fold of this.querySelectorAll('details.fold')) {
        if (fold instanceof HTMLDetailsElement) fold.open = !narrow.matches;
      }
    };
    narrow.addEventListener('change', apply, { signal });
    apply();
  }
}

function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  return query.has('shape') || query.has('layout') ? parseState(query) : stateOf(FIRST);
}

customElements.define('stride-explorer', StrideExplorer);
