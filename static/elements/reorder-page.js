import { formatState, parseState } from '../state/permalink.js';
import { formatLink, parseLink } from '../state/reorder/link.js';
import { REORDER_PRESETS, stateOfPreset } from '../state/reorder/presets.js';
import { ReorderSession } from '../state/reorder/session.js';
import { Session } from '../state/session.js';
import { reorderCode } from '../words/share/reorder.js';
import { reorderCommands } from './shared/command/reorder.js';
import { otherReader, watchDrops } from './shared/files/drops.js';
import { elementTypes, takeLists } from './shared/page/lists.js';
import { hurryWith, NARROW, PageRoot } from './shared/page/root.js';
import { find } from './shared/part.js';
import { readTheme } from './shared/theme.js';
import { ShareMenu } from './share-menu.js';
import './inputs/field-voice.js';
import './inputs/layout-field.js';
import './inputs/layout-reading.js';
import './inputs/paste-anywhere.js';
import './inputs/tensor-problem.js';
import './reorder/reorder-counts.js';
import './reorder/reorder-line.js';
import './reorder/reorder-loops.js';
import './reorder/reorder-memory.js';
import './reorder/reorder-player.js';
import './reorder/reorder-presets.js';
import './reorder/reorder-registers.js';
import './reorder/reorder-save.js';
import './reorder/reorder-strip.js';
import './reorder/reorder-travel.js';

/** The page of reorders: starts both sessions, passes them to the parts, keeps their state in the address bar. */
customElements.define('reorder-page', class ReorderPage extends PageRoot {
  /** @override @type {PageRoot['begin']} */
  begin(signal) {
    takeLists();
    const { state, step } = stateOfAddress();
    const fields = new Session(state, readTheme(), elementTypes());
    const session = new ReorderSession(fields, step, signal);
    session.narrow = matchMedia(NARROW).matches;
    this.join(session, reorderCommands(session), fields);
    const link = find(this, 'a[data-page=explorer]', HTMLAnchorElement);
    const lead = () => (link.href = `/?${formatState(fields.state)}`);
    lead();
    fields.on('state', lead, signal);
    const keep = (/** @type {import('../state/session.js').Mark} */ mark) => this.keep(mark, `?${formatLink(fields.state, session.moment.step)}`);
    fields.on('state', () => keep(fields.mark), signal);
    // While it plays, only the step where it stops is kept.
    session.on('step', () => keep('replace'), signal);
    const entitle = () => {
      const { a, b } = session.ready?.answers ?? {};
      if (a && b) document.title = `${a.fields.layout.trim()} to ${b.fields.layout.trim()}: Stridescope`;
    };
    session.on('plan', entitle, signal);
    const goBack = () => {
      const to = stateOfAddress();
      session.wish(to.step);
      fields.restore(to.state, 'none');
      session.go({ step: to.step, part: 1 });
    };
    window.addEventListener('popstate', goBack, { signal });
    find(this, 'share-menu', ShareMenu).codeOf = (kind) => reorderCode(kind, session.ready, location.origin);
    // This page reads no files: it says which one reads what was dropped.
    const dropped = find(this, '.column > .error', HTMLElement);
    watchDrops((file) => dropped.replaceChildren(...(otherReader(file) ?? [`No page reads ${file.name}.`])), signal);
    this.fold(signal);
    hurryWith(fields, signal);
    fields.ask();
  }
});

function stateOfAddress() {
  const [first] = REORDER_PRESETS;
  return parseLink(location.search) ?? { state: stateOfPreset(first, parseState('')), step: first.step };
}
