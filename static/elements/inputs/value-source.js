import { fileOfSample, PICTURE, sampleOfFile } from '../../state/file-sample.js';
import { NO_VIEW } from '../../state/permalink.js';
import { sizesText } from '../../words/numbers.js';
import { shownText } from '../../words/titles.js';
import { otherReader, watchDrops } from '../shared/files/drops.js';
import { countedValues, openSample } from '../../state/files/opened.js';
import { openFile, openTensor } from '../shared/files/open-file.js';
import { ExplorerPart, find, make, makeButton } from '../shared/part.js';
import { tensorShelf } from '../shared/tensor-shelf.js';

/** @import { Opened } from '../../state/files/opened.js' */
/** @import { Shelf } from '../shared/files/open-file.js' */
/** @import { Side } from '../../state/types.js' */

/** The source of the values: a chosen or dropped file, a tensor in it, or a built-in sample. */
customElements.define('value-source', class ValueSource extends ExplorerPart {
  /** Counts the files: one that loads slowly must not replace a later one. */
  #turn = 0;
  #sample = '';
  /** @type {{sample: string, opened: Opened} | null} the last file, which the browser's history may come back to */
  #kept = null;
  #said = '';

  /** @override */
  start() {
    const input = this.#chooser;
    this.listen(input, 'change', () => {
      const file = input.files?.[0];
      if (file) this.#open(file);
      input.value = '';
    });
    this.listen(find(document, '.sample', HTMLButtonElement), 'click', () => this.#take(openSample(), PICTURE));
    watchDrops((file) => this.#open(file), this.signal);
    this.follow(['state', 'answer'], () => this.#follow());
    this.follow(['values', 'answer', 'state'], () => this.#say());
  }

  get #chooser() {
    return find(this, '[type=file]', HTMLInputElement);
  }

  /** @param {File} file */
  async #open(file) {
    const elsewhere = otherReader(file);
    if (elsewhere) {
      const said = find(this, '.error', HTMLElement);
      said.replaceChildren(...elsewhere);
      said.scrollIntoView({ block: 'nearest' });
      return;
    }
    await this.#load(async () => {
      const opened = await openFile(file);
      this.#shelve('tensors' in opened ? opened : null);
      return 'tensors' in opened ? null : opened;
    });
  }

  /**
   * Shows what a reader returns, unless a later one was started meanwhile.
   * @param {() => Promise<Opened | null>} read
   */
  async #load(read) {
    this.#turn += 1;
    const turn = this.#turn;
    this.say('.error', '');
    try {
      const opened = await read();
      if (turn === this.#turn && opened) this.#take(opened, sampleOfFile(opened.name));
    } catch (error) {
      const { a } = this.session.answers;
      const said = error instanceof Error ? error.message : String(error);
      const still = a ? `${said.endsWith('.') ? '' : '.'} The grids still show ${shownText(a)}.` : '';
      if (turn === this.#turn) this.say('.error', `${said}${still}`);
    }
  }

  /**
   * Lists the tensors of a file.
   * @param {Shelf | null} shelf
   */
  #shelve(shelf) {
    const list = find(this, '.tensors', HTMLElement);
    list.hidden = shelf === null;
    const close = () => {
      this.#shelve(null);
      this.#chooser.focus();
    };
    const parts = shelf && tensorShelf(shelf.file.name, shelf.tensors, { choose: (tensor) => this.#load(() => openTensor(shelf.file, tensor)), close });
    list.replaceChildren(...(parts ?? []));
  }

  /**
   * Shows loaded values; a picture keeps the present layout where it has the letters N, C, H and W.
   * @param {Opened} opened
   * @param {string} sample
   */
  #take(opened, sample) {
    const { session } = this;
    const { loaded, shape, dtype, layout, dims } = opened;
    const { a, b } = session.state;
    /** @param {Side} side */
    const suits = (side) => {
      const read = session.stale[side] || session.halfTyped ? undefined : session.answers[side]?.memory.description;
      return layout === null && read?.system === 'letters' && read.dims === 'NCHW';
    };
    this.#sample = loaded ? sample : '';
    this.#kept = fileOfSample(this.#sample) === null ? this.#kept : { sample, opened };
    this.say('.error', loaded ? '' : `${opened.name} has too many values to draw. Its shape and layout are shown.`);
    session.load(loaded);
    const fields = Object.freeze({ shape, dtype, layout: suits('a') ? a.layout : (layout ?? 'NCHW'), dims, steps: '', slice: '', elements: '' });
    // Three memories side by side need a picture in the order N, C, H, W.
    const show = layout === null ? session.state.show : '';
    session.change({ a: fields, b: b && suits('b') ? b : null, view: NO_VIEW, selected: null, sample: this.#sample, show }, 'push');
  }

  /** Loads the sample that the state names. Samples are part of the state; of a file only the name is. */
  #follow() {
    const { session } = this;
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
    const kept = this.#kept?.sample === sample ? this.#kept.opened.loaded : null;
    session.load(sample === PICTURE ? openSample().loaded : kept);
  }

  /** Says what is shown, or why the values of a file are not. */
  #say() {
    const { loaded, state } = this.session;
    const tensor = this.session.answers.a?.memory.tensor;
    const file = fileOfSample(state.sample);
    const fits = !tensor || String(tensor.shape) === String(loaded?.shape);
    const lost = file !== null && loaded === null;
    const words = lost
      ? `${file} is not kept over a reload, and no link contains it: open it again.`
      : loaded && fits
        ? `Showing ${loaded.label}`
        : loaded && file !== null
          ? `${loaded.label} is not shown: it has ${sizesText(loaded.shape)} values.`
          : '';
    const opened = loaded && this.#kept?.sample === state.sample ? this.#kept.opened : null;
    const other = fits && opened ? opened.other : undefined;
    const turn = other?.loaded?.values.role === 'picture' ? 'Show as a picture' : 'Show as numbers';
    const said = `${words}${other ? turn : ''}`;
    if (said === this.#said) return;
    this.#said = said;
    const buttons = [];
    if (file !== null && loaded && !fits) buttons.push(makeButton(['Close'], () => this.session.change({ sample: '' }, 'push')));
    if (lost) buttons.push(makeButton(['Open it again'], () => this.#chooser.click()));
    if (opened && other) {
      const show = () => {
        this.#take({ ...other, other: { ...opened, other: undefined } }, this.session.state.sample);
        find(this, '.loaded button', HTMLButtonElement).focus();
      };
      buttons.push(makeButton([turn], show));
    }
    find(this, '.loaded', HTMLElement).replaceChildren(...(words ? [make('p', {}, [words])] : []), ...buttons);
  }
});

