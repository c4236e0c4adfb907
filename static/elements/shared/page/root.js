import { CommandPalette } from '../../command/command-palette.js';
import { listPages } from '../command/common.js';
import { helpTexts, otherPages } from './lists.js';
import { ELSEWHERE } from '../../../words/command/elsewhere.js';
import { find, Part, ReorderPart } from '../part.js';
import { chooseTheme, chosenTheme, readTheme } from '../theme.js';
import '../../panel-grip.js';
import { explainWords } from '../words.js';
import '../../share-menu.js';
import '../../theme-switch.js';

/** @import { Mark, Session } from '../../../state/session.js' */

const URL_DELAY_MS = 250;
/** Marks the history entries that a page wrote: what is reloaded or come back to is no link. */
const OWN = 'own';
export const NARROW = '(max-width: 60rem)';

/** What every page's own element does: it begins when the styles are there, and keeps its state in the address bar. */
export class PageRoot extends HTMLElement {
  #stop = new AbortController();
  #timer = 0;
  /** The address that waits to be written. */
  #unwritten = '';

  connectedCallback() {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const begin = () => {
      chooseTheme(chosenTheme());
      listPages(otherPages(), helpTexts());
      // The link that is shared is that of now.
      find(this, '#share', HTMLElement).addEventListener('beforetoggle', () => this.#write(), { signal });
      this.begin(signal);
      window.addEventListener('beforeprint', () => (this.dataset.link = location.href), { signal });
      explainWords(this, signal);
    };
    // WebKit runs modules without waiting for the colours of the style sheets.
    if (readTheme().background !== '') begin();
    else window.addEventListener('load', begin, { once: true, signal });
  }

  disconnectedCallback() {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  /** @param {AbortSignal} _signal ends every listener */
  begin(_signal) {
    throw new Error(`${this.localName} does not begin`);
  }

  /**
   * Passes the page's session to every part, and what the page offers to its search.
   * @param {unknown} session
   * @param {import('../../../words/command/search.js').Commands} commands
   * @param {unknown} [fields] the session of the parts that the page of reorders shares with the explorer
   */
  join(session, commands, fields = session) {
    for (const part of this.querySelectorAll('*')) {
      if (part instanceof CommandPalette) part.join({ ...ELSEWHERE, ...commands });
      else if (part instanceof Part) part.join(part instanceof ReorderPart ? session : fields);
    }
  }

  /** Whether the browser came here by a link, not back to what this page wrote. */
  get linked() {
    return history.state !== OWN;
  }

  /**
   * Browsers refuse more than about a hundred changes of the address in a few seconds, so what changes
   * continuously, such as a drag, is written after a pause.
   * @param {Mark} mark
   * @param {string} query
   */
  keep(mark, query) {
    clearTimeout(this.#timer);
    if (mark === 'replace') {
      this.#unwritten = query;
      this.#timer = window.setTimeout(() => this.#write(), URL_DELAY_MS);
      return;
    }
    // A new entry must not take away what the last one still waits for. Going back has left that entry.
    if (mark === 'push') {
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
   * Folds what can be folded while the screen is narrow.
   * @param {AbortSignal} signal
   */
  fold(signal) {
    const narrow = matchMedia(NARROW);
    const apply = () => {
      if (matchMedia('print').matches) return; // a sheet of paper is narrow, too, and shows all
      for (const fold of this.querySelectorAll('details.fold')) {
        if (fold instanceof HTMLDetailsElement) fold.open = !narrow.matches;
      }
    };
    narrow.addEventListener('change', apply, { signal });
    apply();
  }
}

/**
 * Asks the server again at once where it did not answer, when there is reason to hope.
 * @param {Session} session
 * @param {AbortSignal} signal
 */
export function hurryWith(session, signal) {
  for (const type of ['focus', 'online', 'pageshow']) window.addEventListener(type, () => session.hurry(), { signal });
  document.addEventListener('visibilitychange', () => !document.hidden && session.hurry(), { signal });
}
