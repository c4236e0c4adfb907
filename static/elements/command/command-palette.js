import { marked } from '../../words/command/fuzzy.js';
import { mayBeRead, search } from '../../words/command/search.js';
import { around, find, make, Part, tellActive, unfold } from '../shared/part.js';

/** @import { Catalogue } from '../../api/types.js' */
/** @import { Commands, Found } from '../../words/command/search.js' */

const OPTION = 'command-option-';

/**
 * The search over what a page offers: a dialog with a combobox and its list, as in the ARIA practices. Ctrl K
 * opens it from anywhere.
 * @extends {Part<Commands>}
 */
export class CommandPalette extends Part {
  /** @type {readonly Found[]} */
  #found = [];
  #active = -1;
  /** @type {Catalogue | null} */
  #catalogue = null;

  /** @override */
  start() {
    const input = find(this, 'input', HTMLInputElement);
    this.press('.open', () => this.#open());
    this.press('.close', () => this.#dialog.close());
    this.listen(document, 'keydown', (event) => this.#shortcut(event));
    this.listen(input, 'input', () => this.#fill());
    this.listen(input, 'keydown', (event) => this.#key(event));
    // The field keeps the focus: it names the active option.
    this.listen(this.#list, 'pointerdown', (event) => event.preventDefault());
    this.listen(this.#list, 'click', (event) => {
      const option = around(event, '[role=option]');
      if (option) this.#choose([...this.#list.children].indexOf(option));
    });
    this.listen(this.#dialog, 'click', (event) => event.target === this.#dialog && this.#dialog.close());
  }

  get #dialog() {
    return find(this, 'dialog', HTMLDialogElement);
  }

  get #list() {
    return find(this, '[role=listbox]', HTMLElement);
  }

  /** @param {KeyboardEvent} event */
  #shortcut(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey) return;
    event.preventDefault();
    if (this.#dialog.open) this.#dialog.close();
    else this.#open();
  }

  async #open() {
    const input = find(this, 'input', HTMLInputElement);
    this.#dialog.showModal();
    input.focus();
    input.select();
    this.#fill();
    if (this.#catalogue || !this.session.catalogue) return;
    this.#catalogue = await this.session.catalogue();
    if (this.#catalogue && this.#dialog.open) this.#fill();
  }

  #fill() {
    const { value } = find(this, 'input', HTMLInputElement);
    const { found, problem } = search(value, this.session, this.#catalogue);
    this.#offer(found, problem);
    const signal = this.ask();
    if (!mayBeRead(value, found)) return;
    this.session.reading?.(value, signal).then((read) => read.length > 0 && !signal.aborted && this.#offer([...read.map((entry) => ({ ...entry, at: [] })), ...found], ''));
  }

  /**
   * @param {readonly Found[]} found
   * @param {string} problem
   */
  #offer(found, problem) {
    this.#found = found;
    this.#active = found.length > 0 ? 0 : -1;
    this.#list.replaceChildren(...found.map(option));
    this.#list.hidden = found.length === 0;
    this.#list.scrollTop = 0;
    this.say('.said', problem || (found.length === 0 ? this.session.nothing : ''));
    this.#tell();
  }

  #tell() {
    const input = find(this, 'input', HTMLInputElement);
    input.setAttribute('aria-expanded', String(this.#found.length > 0));
    tellActive(input, this.#list, this.#active);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Enter ends the composition of a word, as in Japanese.
    if (event.isComposing) return;
    const count = this.#found.length;
    /** @type {Record<string, number>} */
    const targets = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: Math.min(this.#active + 8, count - 1), PageUp: Math.max(this.#active - 8, 0) };
    const target = targets[event.key];
    if (target !== undefined && count > 0) {
      event.preventDefault();
      this.#active = (target + count) % count;
      this.#tell();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      this.#choose(this.#active);
    }
  }

  /** @param {number} at */
  #choose(at) {
    const entry = this.#found[at];
    if (!entry) return;
    if (entry.say) {
      this.#active = at;
      this.#tell();
      this.say('.said', entry.say);
      return;
    }
    this.#dialog.close();
    if (entry.href) location.assign(entry.href);
    entry.run?.();
    const next = entry.focus && document.querySelector(entry.focus);
    if (!(next instanceof HTMLElement)) return;
    // On a small screen the facts are folded.
    unfold(next);
    next.focus();
  }
}

/**
 * @param {Found} entry
 * @param {number} place
 */
function option({ kind, title, about, at, say }, place) {
  return make('li', { role: 'option', id: `${OPTION}${place}`, 'aria-selected': 'false' }, [
    make('span', { class: 'title' }, marked(title, at).map(({ text, match }) => (match ? make('b', {}, [text]) : text))),
    make('span', { class: 'kind' }, [kind]),
    ...(say ? [] : [make('span', { class: 'summary' }, [about])]),
  ]);
}

customElements.define('command-palette', CommandPalette);
