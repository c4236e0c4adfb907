import { formatLink, parseLink } from '../state/network/link.js';
import { NetworkSession } from '../state/network/session.js';
import { networkCode } from '../words/share/network.js';
import { networkCommands } from './shared/command/network.js';
import { NARROW, PageRoot } from './shared/page/root.js';
import { find } from './shared/part.js';
import { readTheme } from './shared/theme.js';
import { ShareMenu } from './share-menu.js';
import './network/network-find.js';
import './network/network-graph.js';
import './network/network-node.js';
import './network/network-plan.js';
import './network/network-rules.js';
import './network/network-source.js';
import './network/network-table.js';

/** The page of networks: starts the session, passes it to every part, keeps its state in the address bar. */
customElements.define('network-page', class NetworkPage extends PageRoot {
  /** @override @type {PageRoot['begin']} */
  begin(signal) {
    const session = new NetworkSession(parseLink(location.search), readTheme());
    session.narrow = matchMedia(NARROW).matches;
    this.join(session, networkCommands(session, ruleSets()));
    session.on('state', () => this.keep(session.mark, `?${formatLink(session.state)}`), signal);
    const entitle = () => {
      const { state, presets, file } = session;
      const title = presets.find(({ name }) => name === state.preset)?.title ?? (file || 'Network');
      document.title = `${title}, ${state.show === 'plan' ? 'planned' : state.rules}: Stridescope`;
    };
    session.on('answer', entitle, signal);
    window.addEventListener('popstate', () => session.change(parseLink(location.search), 'none'), { signal });
    find(this, 'share-menu', ShareMenu).codeOf = async (kind) => networkCode(kind, location.origin, await session.asked());
    session.list();
    session.ask();
  }
});

/** @returns {{name: string, title: string}[]} the rule sets, as the server wrote them into the page */
function ruleSets() {
  const { options } = find(document, '#rules', HTMLSelectElement);
  return [...options].map(({ value, dataset }) => ({ name: value, title: dataset.title ?? '' }));
}
