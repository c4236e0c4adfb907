import { formatState, leftOut, parseState } from '../state/permalink.js';
import { FIRST, stateOf } from '../state/presets.js';
import { Session } from '../state/session.js';
import { titleText } from '../words/titles.js';
import { leftOutText } from '../words/waiting.js';
import { explorerCommands } from './shared/command/explorer.js';
import { createFrame } from './shared/frame.js';
import { kept } from './shared/page/kept.js';
import { elementTypes, takeLists } from './shared/page/lists.js';
import { hurryWith, NARROW, PageRoot } from './shared/page/root.js';
import { find, unfold } from './shared/part.js';
import { readTheme } from './shared/theme.js';
import './cost/cost-lens.js';
import './cost/walk-cost.js';
import './cost/warp-cost.js';
import './facts/compared-facts.js';
import './embed/share-picture.js';
import './facts/facts-side.js';
import './facts/facts-tabs.js';
import './facts/layout-code.js';
import './facts/layout-facts.js';
import './facts/layout-notations.js';
import './grids/address-sum.js';
import './grids/compare-bar.js';
import './grids/go-to.js';
import './grids/grid-legend.js';
import './grids/logical-view.js';
import './grids/memory-pair.js';
import './grids/memory-strip.js';
import './grids/memory-view.js';
import './grids/row-length.js';
import './grids/slice-grid.js';
import './grids/state-select.js';
import './grids/three-memories.js';
import './inputs/field-voice.js';
import './inputs/layout-field.js';
import './inputs/layout-reading.js';
import './inputs/example-story.js';
import './inputs/paste-anywhere.js';
import './inputs/paste-note.js';
import './inputs/preset-list.js';
import './inputs/slice-result.js';
import './inputs/tensor-problem.js';
import './inputs/value-source.js';
import './inputs/view-steps.js';
import './learn/lesson-link.js';
import './walk/loop-order.js';
import './walk/walk-player.js';
import './stale-note.js';

/** The explorer: starts the session, passes it to every part and keeps its state in the address bar. */
customElements.define('stride-explorer', class StrideExplorer extends PageRoot {
  /** @override @type {PageRoot['begin']} */
  begin(signal) {
    takeLists();
    const session = new Session(stateOfAddress(), readTheme(), elementTypes());
    session.centred = this.linked && new URLSearchParams(location.search).has('at');
    this.join(session, explorerCommands(session));
    session.on('state', () => this.keep(session.mark, `?${formatState(session.state)}`), signal);
    // The browser keeps the title with the entry in its history.
    const entitle = () => {
      if (session.answers.a) document.title = titleText(session.answers.a, session.answers.b);
    };
    session.on('answer', createFrame(entitle, signal, { apart: true }), signal);
    session.on('restored', () => this.#bring(session), signal);
    // A lesson leads back to what is shown here.
    window.addEventListener('pagehide', () => kept('example', formatState(session.state), { briefly: true }), { signal });
    window.addEventListener('popstate', () => session.restore(stateOfAddress(), 'none'), { signal });
    const left = leftOut(location.search);
    const stands = left && session.state.a[left];
    const tellLeftOut = () => {
      find(this, '.left-out', HTMLElement).textContent = left && stands === session.state.a[left] ? leftOutText(left, stands) : '';
    };
    session.on('state', tellLeftOut, signal);
    tellLeftOut();
    this.fold(signal);
    if (this.linked) this.#unfold(session.state.tab);
    hurryWith(session, signal);
    session.ask();
  }

  /**
   * Where the facts are folded, below the grids, a link to one of their tabs leads to it.
   * @param {Session['state']['tab']} tab
   */
  #unfold(tab) {
    if (tab === 'facts' || !matchMedia(NARROW).matches) return;
    const named = find(this, `#tab-${tab}`, HTMLElement);
    unfold(named);
    requestAnimationFrame(() => named.scrollIntoView());
  }

  /**
   * A chosen example brings its sentence into view. On a small screen its grids, too, from below the bars: the list
   * folds, or the choice would show nothing.
   * @param {Session} session
   */
  #bring({ mark, story }) {
    if (mark !== 'push' || story?.stage !== 'begun') return;
    find(this, '.column', HTMLElement).scrollTo({ top: 0 });
    if (!matchMedia(NARROW).matches) return;
    const list = find(this, '.examples', HTMLDetailsElement);
    if (list.open) find(this, '.stage', HTMLElement).focus({ preventScroll: true });
    list.open = false;
    scrollTo({ top: 0 });
  }
});

function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  return query.has('shape') || query.has('layout') ? parseState(query) : stateOf(FIRST);
}
