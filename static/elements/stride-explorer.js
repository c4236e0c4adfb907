import { formatState, parseState } from '../state/permalink.js';
import { FIRST, stateOf } from '../state/presets.js';
import { Session } from '../state/session.js';
import { listSystems } from '../words/systems.js';
import { titleText } from '../words/titles.js';
import { find, Part } from './shared/part.js';
import { chooseTheme, chosenTheme, readTheme, whenStyled } from './shared/theme.js';
import './command/command-palette.js';
import './cost/cost-lens.js';
import './cost/walk-cost.js';
import './cost/warp-cost.js';
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
import './inputs/lesson-note.js';
import './inputs/paste-note.js';
import './inputs/preset-list.js';
import './inputs/slice-result.js';
import './inputs/tensor-field.js';
import './inputs/tensor-problem.js';
import './inputs/value-source.js';
import './inputs/view-break.js';
import './inputs/view-steps.js';
import './slice/slice-grips.js';
import './walk/loop-order.js';
import './walk/walk-button.js';
import './walk/walk-player.js';
import './stale-note.js';
import './theme-switch.js';

const URL_DELAY_MS = 250;
/** Marks the history entries that this page wrote: what is reloaded or come back to is no link. */
const OWN = 'own';
const FOLDED = '(max-width: 60rem)';

/** The explorer: starts the session, passes it to every part and keeps its state in the address bar. */
export class StrideExplorer extends HTMLElement {
  #stop = new AbortController();
  #timer = 0;
  /** The address that waits to be written. */
  #unwritten = '';

  connectedCallback() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    whenStyled(() => this.#begin(signal), signal);
  }

  /** @param {AbortSignal} signal */
  #begin(signal) {
    chooseTheme(chosenTheme());
    listSystems(systems());
    const session = new Session(stateOfAddress(), readTheme(), elementTypes());
    session.centred = history.state !== OWN && new URLSearchParams(location.search).has('at');
    for (const part of this.querySelectorAll('*')) {
      if (part instanceof Part) part.join(session);
    }
    session.on('state', () => this.#keep(session), signal);
    session.on('answer', () => entitle(session), signal);
    session.on('restored', () => this.#bring(session), signal);
    window.addEventListener('popstate', () => session.restore(stateOfAddress(), 'none'), { signal });
    this.#fold(signal);
    this.#finish(session, signal);
    for (const type of ['focus', 'online', 'pageshow']) window.addEventListener(type, () => session.hurry(), { signal });
    document.addEventListener('visibilitychange', () => !document.hidden && session.hurry(), { signal });
    session.ask();
  }

  disconnectedCallback() {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /**
   * Browsers refuse more than about a hundred changes of the address in a few seconds, so what changes
   * continuously, such as a drag, is written after a pause.
   * @param {Session} session
   */
  #keep(session) {
    clearTimeout(this.#timer);
    const query = `?${formatState(session.state)}`;
    if (session.mark === 'replace') {
      this.#unwritten = query;
      this.#timer = window.setTimeout(() => this.#write(), URL_DELAY_MS);
      return;
    }
    // A new entry must not take away what the last one still waits for. Going back has left that entry.
    if (session.mark === 'push') {
      this.#write();
      history.pushState(OWN, '', query);
    }
    this.#unwritten = '';
  }

  #write() {
    if (this.#unwritten) history.replaceState(OWN, '', this.#unwritten);
    this.#unwritten = '';
  }

  /**
   * On a small screen, a chosen example brings its sentence and its grids into view: the list folds, or
   * the choice would show nothing.
   * @param {Session} session
   */
  #bring({ mark, lesson }) {
    if (mark !== 'push' || lesson?.stage !== 'begun' || !matchMedia(FOLDED).matches) return;
    this.#showGrids(find(this, 'preset-list', HTMLElement));
  }

  /**
   * On a small screen, Enter in a field that ends an example's trial brings what there is to see into view.
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  #finish(session, signal) {
    /** @type {HTMLInputElement | null} */
    let entered = null;
    const show = () => {
      if (!entered || session.lesson?.stage !== 'done') return;
      this.#showGrids(entered);
      entered = null;
    };
    const form = find(this, '.inputs form', HTMLElement);
    form.addEventListener('input', () => (entered = null), { signal });
    form.addEventListener(
      'keydown',
      ({ key, target }) => {
        entered = key === 'Enter' && target instanceof HTMLInputElement && matchMedia(FOLDED).matches ? target : null;
        show();
      },
      { signal },
    );
    session.on('lesson', show, signal);
  }

  /**
   * Folds what an element lies in, and shows the sentence of the example above its grids.
   * @param {HTMLElement} element
   */
  #showGrids(element) {
    const fold = element.closest('details.fold');
    if (!(fold instanceof HTMLDetailsElement) || !fold.open) return;
    fold.open = false;
    find(this, '.grids', HTMLElement).focus({ preventScroll: true });
    const note = find(this, 'lesson-note', HTMLElement);
    // Nobody types now: it need not keep the height that it had.
    note.style.minHeight = '';
    note.scrollIntoView({ block: 'start' });
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

/**
 * The title says what is shown. The browser keeps it with the entry in its history.
 * @param {Session} session
 */
function entitle({ answers }) {
  if (answers.a) document.title = titleText(answers.a, answers.b);
}

function stateOfAddress() {
  const query = new URLSearchParams(location.search);
  return query.has('shape') || query.has('layout') ? parseState(query) : stateOf(FIRST);
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

customElements.define('stride-explorer', StrideExplorer);
