import { formatState, parseState } from '../state/permalink.js';
import { formatLink, parseLink } from '../state/reorder/link.js';
import { REORDER_PRESETS, stateOfPreset } from '../state/reorder/presets.js';
import { ReorderSession } from '../state/reorder/session.js';
import { Session } from '../state/session.js';
import { listSystems } from '../words/systems.js';
import { find, ExplorerPart, ReorderPart } from './shared/part.js';
import { chooseTheme, chosenTheme, readTheme, whenStyled } from './shared/theme.js';
import './inputs/field-voice.js';
import './inputs/layout-field.js';
import './inputs/layout-reading.js';
import './inputs/tensor-field.js';
import './inputs/tensor-problem.js';
import './player/player-bar.js';
import './reorder/reorder-counts.js';
import './reorder/reorder-line.js';
import './reorder/reorder-loops.js';
import './reorder/reorder-memory.js';
import './reorder/reorder-player.js';
import './reorder/reorder-presets.js';
import './reorder/reorder-registers.js';
import './reorder/reorder-strip.js';
import './reorder/reorder-travel.js';
import './theme-switch.js';

const URL_DELAY_MS = 250;
const FOLDED = '(max-width: 60rem)';

/** The page of reorders: starts both sessions, passes them to the parts, keeps their state in the address bar. */
export class ReorderPage extends HTMLElement {
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
    listSystems(systems());
    const { state, step } = stateOfAddress();
    const fields = new Session(state, readTheme(), elementTypes());
    const session = new ReorderSession(fields, step, signal);
    for (const part of this.querySelectorAll('*')) {
      if (part instanceof ReorderPart) part.join(session);
      else if (part instanceof ExplorerPart) part.join(fields);
    }
    fields.on('state', () => this.#keep(session, fields.mark), signal);
    session.on('step', () => this.#keep(session, 'replace'), signal);
    session.on('plan', () => this.#entitle(session), signal);
    window.addEventListener(
      'popstate',
      () => {
        const link = stateOfAddress();
        session.wish(link.step);
        fields.restore(link.state, 'none');
        session.go({ step: link.step, part: 1 });
      },
      { signal },
    );
    this.#fold(signal);
    for (const type of ['focus', 'online', 'pageshow']) window.addEventListener(type, () => fields.hurry(), { signal });
    fields.ask();
  }

  /**
   * @param {ReorderSession} session
   * @param {import('../state/session.js').Mark} mark
   */
  #keep(session, mark) {
    clearTimeout(this.#timer);
    this.#lead(session);
    if (mark === 'none') return;
    const url = () => `?${formatLink(session.fields.state, session.moment.step)}`;
    if (mark === 'push') history.pushState(null, '', url());
    // While it plays, only the step where it stops is kept.
    else this.#timer = window.setTimeout(() => history.replaceState(null, '', url()), URL_DELAY_MS);
  }

  /** @param {ReorderSession} session */
  #lead({ fields }) {
    const link = find(this, 'a.explore', HTMLAnchorElement);
    const href = `/?${formatState(fields.state)}`;
    if (link.getAttribute('href') !== href) link.href = href;
  }

  /** @param {ReorderSession} session */
  #entitle(session) {
    const { ready } = session;
    this.#lead(session);
    if (!ready) return;
    const { a, b } = ready.answers;
    document.title = `${a.fields.layout.trim()} to ${b.fields.layout.trim()}: Stridescope`;
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
  const [first] = REORDER_PRESETS;
  return parseLink(location.search) ?? { state: stateOfPreset(first, parseState('')), step: first.step };
}

/** @returns {ReadonlyMap<string, number>} bits of each element type, as the server wrote them into the page */
function elementTypes() {
  const options = find(document, '#dtypes', HTMLDataListElement).options;
  return new Map([...options].map(({ value, dataset }) => [value, Number(dataset.bits)]));
}

/** @returns {import('../words/systems.js').Listed[]} as the server wrote them into the page */
function systems() {
  const options = find(document, '#systems', HTMLDataListElement).options;
  return [...options].map(({ value, label, dataset }) => ({ system: value, title: label, family: dataset.family ?? '' }));
}

customElements.define('reorder-page', ReorderPage);
