import { meantBy, suggestedTyping, suggestions } from '../../words/completion.js';
import { systemName } from '../../words/systems.js';
import { around, find, make, tellActive } from './part.js';

/** @import { Catalogue } from '../../api/types.js' */
/** @import { Suggestion } from '../../words/completion.js' */
/** @import { Part } from './part.js' */

/**
 * What the field provides to its list.
 * @typedef {object} NameListHost
 * @property {() => Promise<Catalogue | null>} catalogue null where it cannot be loaded
 * @property {() => number} rank
 * @property {() => string | undefined} asked the layout that an example asks for
 * @property {(value: string) => void} choose
 * @property {(value: string) => void} settle the same after the field was left
 */

/** The list of names below a field: a combobox with list completion, as in the ARIA practices. */
export class NameList {
  /** @type {readonly Suggestion[]} */
  #shown = [];
  #active = -1;
  #choosing = false;
  /** Counts what opens and closes it: names that come late must not open it again. */
  #turn = 0;
  #input;
  #list;
  #host;

  /**
   * @param {Part<any>} field with the input and its list
   * @param {NameListHost} host
   */
  constructor(field, host) {
    this.#input = find(field, 'input', HTMLInputElement);
    this.#list = find(field, '[role=listbox]', HTMLElement);
    this.#host = host;
    // Loaded when the field gets the focus, so that the first names appear without a wait.
    field.listen(this.#input, 'focus', () => host.catalogue());
    field.listen(this.#input, 'input', () => !this.#choosing && this.#open());
    field.listen(this.#input, 'blur', () => {
      // Who leaves hwc behind means HWC, as who presses Enter does.
      const meant = this.#list.hidden ? -1 : meantBy(this.#input.value, this.#shown);
      this.close();
      if (meant >= 0) host.settle(this.#shown[meant].value);
    });
    const offer = find(field, '.offer', HTMLButtonElement);
    field.listen(offer, 'click', () => {
      if (!this.#list.hidden) return this.close();
      this.#input.inputMode = 'none';
      this.#input.focus();
      this.#open(true);
    });
    field.listen(this.#input, 'keydown', (event) => this.#key(event));
    // The field must keep the focus: without it the list would close before the click.
    for (const one of [this.#list, offer]) field.listen(one, 'pointerdown', (event) => event.preventDefault());
    // The keys of a phone, which the offer kept away, come once the field itself is pressed.
    field.listen(this.#input, 'pointerdown', () => (this.#input.inputMode = ''));
    field.listen(this.#list, 'click', (event) => {
      const option = around(event, '[role=option]');
      if (option) this.#choose([...this.#list.children].indexOf(option));
    });
  }

  /** @param {boolean} [wished] also for a name that is complete, or for no beginning of one: then all that is usual */
  async #open(wished = false) {
    const turn = (this.#turn += 1);
    const catalogue = await this.#host.catalogue();
    if (!catalogue || turn !== this.#turn) return;
    const typed = this.#input.value.trim();
    const rank = this.#host.rank();
    const fitting = wished ? suggestions(typed, rank, catalogue) : suggestedTyping(typed, rank, catalogue, this.#host.asked());
    const whole = fitting.some(({ value }) => value === typed);
    this.#shown = wished && (whole || fitting.length === 0) ? suggestions('', rank, catalogue) : fitting;
    this.#active = -1;
    this.#list.replaceChildren(...this.#shown.map((one, at) => option(one, `${this.#list.id}-${at}`)));
    requestAnimationFrame(() => (this.#list.scrollTop = 0)); // it lays the page out, which a key must not wait for
    this.#list.hidden = this.#shown.length === 0 || (whole && !wished);
    this.#tell();
  }

  close() {
    this.#turn += 1;
    this.#list.hidden = true;
    this.#active = -1;
    this.#tell();
  }

  #tell() {
    this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
    tellActive(this.#input, this.#list, this.#active);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const open = !this.#list.hidden;
    const meant = this.#active < 0 ? meantBy(this.#input.value, this.#shown) : this.#active;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (open) this.#step(event.key === 'ArrowDown' ? 1 : -1);
      else this.#open(true);
    } else if (open && event.key === 'Enter' && meant >= 0) {
      event.preventDefault();
      this.#choose(meant);
    } else if (event.key === 'Escape' || event.key === 'Enter') {
      if (open) event.preventDefault();
      this.close();
    }
  }

  /** @param {1 | -1} by through the names; between the last and the first none is active */
  #step(by) {
    const places = this.#shown.length + 1;
    this.#active = ((this.#active + 1 + by + places) % places) - 1;
    this.#tell();
  }

  /** @param {number} at */
  #choose(at) {
    const { value } = this.#shown[at];
    this.close();
    this.#choosing = true;
    this.#host.choose(value);
    this.#choosing = false;
    // After a system's prefix, the list shows that system's names.
    if (value.endsWith(':')) this.#open(true);
  }
}

/**
 * @param {Suggestion} suggestion
 * @param {string} id
 */
function option({ value, system, summary }, id) {
  return make('li', { role: 'option', id, 'aria-selected': 'false' }, [
    make('code', {}, [value]),
    make('span', { class: 'system' }, [value.endsWith(':') ? '' : systemName(system)]),
    make('span', { class: 'summary' }, [summary]),
  ]);
}
