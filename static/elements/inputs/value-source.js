import { NO_VIEW } from '../../state/permalink.js';
import { countedValues, openFile, openSample } from '../shared/open-file.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */
/** @typedef {import('../shared/open-file.js').Opened} Opened */

const PICTURE_LAYOUT = /^(?=.*N)(?=.*C)(?=.*H)(?=.*W)[NCHW]{4}\d*$/;

/** The source of the values: a chosen or dropped file, or a built-in sample. */
export class ValueSource extends ExplorerPart {
  /** Counts the files: one that loads slowly must not replace a later one. */
  #turn = 0;
  #sample = '';

  /**
   * @override
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const input = find(this, 'input', HTMLInputElement);
    input.addEventListener(
      'change',
      () => {
        const file = input.files?.[0];
        if (file) this.#open(session, file);
        input.value = '';
      },
      { signal },
    );
    find(this, '.sample', HTMLButtonElement).addEventListener(
      'click',
      () => this.#take(session, openSample(), 'balloon'),
      { signal },
    );
    this.#watchDrops(session, signal);
    session.on(['state', 'answer'], () => this.#follow(session), signal);
    session.on('values', () => this.#say(session), signal);
    this.#follow(session);
  }

  /**
   * @param {Session} session
   * @param {AbortSignal} signal
   */
  #watchDrops(session, signal) {
    const hint = find(document, '.drop-hint', HTMLElement);
    document.addEventListener(
      'dragover',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        hint.hidden = false;
      },
      { signal },
    );
    document.addEventListener(
      'dragleave',
      (event) => {
        if (event.relatedTarget === null) hint.hidden = true;
      },
      { signal },
    );
    document.addEventListener(
      'drop',
      (event) => {
        const file = event.dataTransfer?.files[0];
        hint.hidden = true;
        if (!file) return;
        event.preventDefault();
        this.#open(session, file);
      },
      { signal },
    );
  }

  /**
   * @param {Session} session
   * @param {File} file
   */
  async #open(session, file) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#complain('');
    try {
      const opened = await openFile(file);
      if (turn === this.#turn) this.#take(session, opened, '');
    } catch (error) {
      if (turn === this.#turn) this.#complain(error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * Shows loaded values; a picture keeps the present layout where it has the letters N, C, H and W.
   * @param {Session} session
   * @param {Opened} opened
   * @param {string} sample
   */
  #take(session, { loaded, shape, dtype, layout }, sample) {
    const { a, b } = session.state;
    /** @param {string} text */
    const suits = (text) => layout === null && PICTURE_LAYOUT.test(text);
    this.#sample = sample;
    this.#complain('');
    session.load(loaded);
    const fields = { shape, dtype, layout: suits(a.layout) ? a.layout : (layout ?? 'NCHW'), dims: '', steps: '', slice: '', elements: '' };
    session.change(
      {
        a: Object.freeze(fields),
        b: b && suits(b.layout) ? b : null,
        view: NO_VIEW,
        selected: null,
        sample,
      },
      'push',
    );
  }

  /**
   * Loads the sample that the state names. Samples are part of the state; files stay until the page is closed.
   * @param {Session} session
   */
  #follow(session) {
    const { sample } = session.state;
    if (sample === 'count') {
      const shape = session.answers.a?.memory.tensor?.shape;
      const same = this.#sample === sample && String(session.loaded?.shape) === String(shape);
      if (shape && !same) session.load(countedValues(shape));
      this.#sample = sample;
      return;
    }
    if (sample === this.#sample) return;
    this.#sample = sample;
    this.#turn += 1;
    session.load(sample === 'balloon' ? openSample().loaded : null);
  }

  /** @param {Session} session */
  #say({ loaded }) {
    find(this, '.loaded', HTMLElement).textContent = loaded ? `Showing ${loaded.label}` : '';
  }

  /** @param {string} message */
  #complain(message) {
    find(this, '.error', HTMLElement).textContent = message;
  }
}

customElements.define('value-source', ValueSource);
