import { asksForSize, isShown, mayCarryMore, readIfSaid, takenFrom, takenOf, typeOfSize } from '../../state/pasted.js';
import { countWords, foundWords, lineWords } from '../../words/found.js';
import { counted } from '../../words/numbers.js';
import { raised } from '../../words/story/lowered.js';
import { ExplorerPart, find, make, makeButton } from '../shared/part.js';

/** @import { Pasted, Taken } from '../../state/pasted.js' */

/**
 * Says what was taken from a pasted text, with a button to undo it; lists the tensors of a text with
 * several; asks for what a text leaves open; or offers what a typed text says.
 */
customElements.define('paste-note', class PasteNote extends ExplorerPart {
  /** @type {Pasted | null} whose tensors are listed */
  #listed = null;
  /** @type {Taken | null} */
  #told = null;

  /** @override */
  start() {
    this.follow(['state', 'pasted'], () => this.#show());
    this.when('problem', () => this.#offer());
    // A link is meant as it is.
    const { a: opened } = this.session.state;
    this.when('answer', () => this.session.state.a !== opened && this.#offerBytes());
  }

  #show() {
    const taken = (this.session.pasted?.asking ?? null) === null ? this.session.taken : null;
    this.ask();
    if (!taken) this.#put('.taken');
    // Said once: the button keeps the focus when a cell is chosen.
    if (taken && taken !== this.#told) {
      const back = () => {
        this.session.untake();
        this.#focusField();
      };
      this.#put('.taken', make('p', {}, [`Taken from the text: ${taken.words}`]), makeButton(['Undo'], back, { class: 'undo' }));
    }
    this.#told = taken;
    this.#list();
  }

  /**
   * @param {'.taken' | '.asking' | '.found'} part hidden while it is empty, as the whole is
   * @param {Node[]} nodes
   */
  #put(part, ...nodes) {
    find(this, part, HTMLElement).replaceChildren(...nodes);
    for (const each of this.children) each.toggleAttribute('hidden', each.childElementCount === 0);
    this.hidden = [...this.children].every((each) => each.childElementCount === 0);
  }

  /** Offers the sizes that a typed text contains, where they differ from those in the field, else its layout. */
  async #offer() {
    const { state, problems, taken } = this.session;
    const { shape, layout } = state.a;
    const typed = mayCarryMore(layout) || !/[a-wyz]/i.test(shape) ? layout : shape;
    if (taken || problems.a.length === 0 || !mayCarryMore(typed)) {
      if (!taken) this.#put('.taken');
      return;
    }
    const signal = this.ask();
    // Where the text says nothing more, its error is already shown beside its field.
    const said = await readIfSaid(this.session, typed, signal);
    const found = said && takenFrom(state.a, said.answer);
    if (signal.aborted || !found) return;
    const { after } = found;
    const parts = [...(after.shape === shape ? [] : [`shape ${after.shape}`]), ...(after.layout === layout ? [] : [`layout ${after.layout}`])];
    if (parts.length > 0) this.#put('.taken', makeButton([`Take ${parts.join(' and ')} from this text`], () => this.session.take(found)));
  }

  /** Strides of NumPy count bytes: those that leave gaps where they count elements may be meant so. */
  #offerBytes() {
    const { answers, stale, pasted } = this.session;
    if (!answers.a || stale.a || (pasted?.asking ?? null) !== null) return;
    const { properties, readings } = answers.a.memory.description;
    const bytes = properties.padded && readings[0]?.system === 'strides' ? readings.find(({ system, same }) => system === 'numpy' && !same) : null;
    const count = () => this.session.edit('a', { layout: `numpy:${bytes?.text}` }, 'push');
    const parts = bytes ? [make('p', {}, ['These strides are read as elements.']), makeButton(['They count bytes, as in NumPy'], count)] : [];
    this.#put('.asking', ...parts);
  }

  /** The list is built once: a button keeps the focus when its tensor is chosen. */
  #list() {
    const { pasted, state } = this.session;
    if (pasted !== this.#listed) {
      this.#ask(pasted);
      if (pasted?.tensors !== this.#listed?.tensors) this.#put('.found', ...this.#rows(pasted));
      this.#listed = pasted;
    }
    for (const button of this.querySelectorAll('button[data-at]')) {
      const shown = pasted !== null && isShown(state, pasted.tensors, Number(button.getAttribute('data-at')));
      button.setAttribute('aria-pressed', String(shown));
    }
  }

  /**
   * @param {Pasted | null} pasted
   * @returns {Node[]} what is listed: nothing for a single tensor
   */
  #rows(pasted) {
    if (!pasted || pasted.tensors.length < 2) return [];
    const { tensors, leftOut, linesLeft } = pasted;
    const rows = tensors.flatMap((one, at) => {
      const before = tensors[at - 1];
      const sameLine = before?.line === one.line && before.source === one.source;
      const heading = sameLine ? [] : [make('li', { class: 'line' }, [lineWords(one)])];
      return [...heading, make('li', {}, [this.#row(pasted, at)])];
    });
    const leave = () => {
      this.session.paste(null);
      this.#focusField();
    };
    const close = makeButton(['Close the list'], leave, { class: 'quiet' });
    const count = make('summary', { id: 'found-count' }, [countWords(tensors.length, leftOut, linesLeft)]);
    return [make('details', {}, [count, make('ul', { 'aria-labelledby': 'found-count' }, rows)]), close];
  }

  /**
   * @param {Pasted} pasted
   * @param {number} at
   */
  #row({ tensors }, at) {
    const one = tensors[at];
    const { role, sizes, dtype, layout } = foundWords(tensors, at);
    if (one.problem !== null) {
      return make('p', { class: 'unread' }, [make('b', {}, [role]), ` cannot be read: ${one.problem}`]);
    }
    const parts = [make('b', {}, [role]), ` ${sizes} `, make('span', {}, [dtype]), ' ', make('code', {}, [layout])];
    return makeButton(parts, () => this.#choose(at), { 'data-at': String(at), 'aria-pressed': 'false' });
  }

  /** @param {number} at */
  #choose(at) {
    const { session } = this;
    const { pasted } = session;
    if (!pasted) return;
    const asks = asksForSize(pasted.tensors[at]);
    if (asks || pasted.asking !== null) session.paste(Object.freeze({ ...pasted, asking: asks ? at : null }));
    const taken = asks ? null : takenOf(session.state, pasted.tensors, at);
    if (taken) session.take(taken);
  }

  /**
   * Asks how many bytes an element has, where strides in bytes fit several sizes.
   * @param {Pasted | null} pasted
   */
  #ask(pasted) {
    const at = pasted?.asking ?? null;
    this.#put('.asking');
    if (pasted === null || at === null) return;
    const one = pasted.tensors[at];
    const { session } = this;
    /** @param {string} said @param {() => Taken | null} take */
    const offered = (said, take) => makeButton([said], () => {
      const taken = take();
      session.paste(pasted.tensors.length > 1 ? Object.freeze({ ...pasted, asking: null }) : null);
      if (taken) session.take(taken);
      find(this, '.undo', HTMLButtonElement).focus();
    });
    const buttons = (one.itemsizes ?? []).map((bytes) =>
      offered(`${counted(bytes, 'byte')}, as ${typeOfSize(bytes)}`, () => takenOf(session.state, pasted.tensors, at, bytes)));
    if (one.in_elements) {
      const plain = { ...one, layout: one.in_elements };
      buttons.push(offered('Strides in elements', () => takenFrom(session.state.a, plain)));
    }
    const sizes = one.shape ? `shape ${one.shape.join(', ')}, ` : '';
    const numbers = `${sizes}strides (${one.strides?.join(', ')})`;
    const told = one.role ? `${one.role}: ${numbers}` : raised(numbers);
    const question = one.in_elements ? 'How large is one element, if they count bytes?' : 'How large is one element?';
    const legend = make('legend', {}, [`${told}${one.in_elements ? '' : ' in bytes'}. ${question}`]);
    this.#put('.asking', make('fieldset', {}, [legend, make('div', { class: 'row' }, buttons)]));
  }

  #focusField() {
    find(document, '#a-layout', HTMLInputElement).focus();
  }
});
