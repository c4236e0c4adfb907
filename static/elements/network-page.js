import { formatLink, parseLink } from '../state/network/link.js';
import { NetworkSession } from '../state/network/session.js';
import { Part } from './shared/part.js';
import { chooseTheme, chosenTheme, readTheme, whenStyled } from './shared/theme.js';
import './network/network-graph.js';
import './network/network-node.js';
import './network/network-plan.js';
import './network/network-rules.js';
import './network/network-source.js';
import './network/network-table.js';
import './theme-switch.js';

const URL_DELAY_MS = 250;
const NARROW = '(max-width: 60rem)';

/** The page of networks: starts the session, passes it to every part, keeps its state in the address bar. */
export class NetworkPage extends HTMLElement {
  #stop = new AbortController();
  #timer = 0;

  connectedCallback() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    whenStyled(() => this.#begin(signal), signal);
  }

  disconnectedCallback() {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /** @param {AbortSignal} signal */
  #begin(signal) {
    chooseTheme(chosenTheme());
    const session = new NetworkSession(parseLink(location.search), readTheme());
    session.narrow = matchMedia(NARROW).matches;
    for (const part of this.querySelectorAll('*')) {
      if (part instanceof Part) part.join(session);
    }
    session.on('state', () => this.#keep(session), signal);
    session.on('answer', () => this.#entitle(session), signal);
    window.addEventListener('popstate', () => session.change(parseLink(location.search), 'none'), { signal });
    session.list();
    session.ask();
  }

  /** @param {NetworkSession} session */
  #keep(session) {
    clearTimeout(this.#timer);
    if (session.mark === 'none') return;
    const url = `?${formatLink(session.state)}`;
    if (session.mark === 'push') history.pushState(null, '', url);
    else this.#timer = window.setTimeout(() => history.replaceState(null, '', url), URL_DELAY_MS);
  }

  /** @param {NetworkSession} session */
  #entitle({ state, presets, file }) {
    const title = presets.find(({ name }) => name === state.preset)?.title ?? (file || 'Network');
    document.title = `${title}, ${state.show === 'plan' ? 'planned' : state.rules}: Stridescope`;
  }
}

customElements.define('network-page', NetworkPage);
