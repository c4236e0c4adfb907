import { readOnnx } from '../../api/networks/calls.js';
import { pastedOf } from '../../state/network/pasted.js';
import { messageOf } from '../../state/network/session.js';
import { isRun } from '../../state/run/link.js';
import { elsewhere } from '../../words/network.js';
import { counted, exactText } from '../../words/numbers.js';
import { otherReader, watchDrops } from '../shared/files/drops.js';
import { fillSelect, find, make, NetworkPart } from '../shared/part.js';
import { runLink } from '../shared/run/link.js';

/** @import { GraphJson } from '../../api/networks/types.js' */
/** @import { Reading } from '../../state/network/session.js' */

const MOST_FILE_BYTES = 2 ** 26;

/** Where the network comes from: a preset, a file, or a pasted text. */
customElements.define('network-source', class NetworkSource extends NetworkPart {
  /** @type {File | null} the last .onnx file, which is read again with other sizes */
  #file = null;
  #sizes = '';

  /** @override */
  start() {
    const select = find(this, 'select', HTMLSelectElement);
    this.listen(select, 'change', () => this.session.choosePreset(select.value));
    const input = find(this, 'input[type=file]', HTMLInputElement);
    this.listen(input, 'change', () => {
      const file = input.files?.[0];
      if (file) this.#open(file);
      input.value = '';
    });
    const sizes = find(this, '.sizes', HTMLFormElement);
    this.listen(sizes, 'submit', (event) => {
      event.preventDefault();
      const wanted = [...sizes.querySelectorAll('input')].map(({ name, value }) => [name, Number(value)]);
      if (this.#file && sizes.reportValidity()) this.#open(this.#file, Object.fromEntries(wanted));
    });
    const pasting = find(this, '[popover]', HTMLElement);
    this.listen(pasting, 'submit', (event) => {
      event.preventDefault();
      pasting.hidePopover();
      this.#paste(find(this, 'textarea', HTMLTextAreaElement).value);
    });
    watchDrops((file) => this.#open(file), this.signal);
    this.follow(['presets', 'state', 'answer'], () => {
      const { presets, state, file, unlinked } = this.session;
      const own = state.preset === '' ? [{ name: '', title: file || 'Your own' }] : [];
      fillSelect(select, [...own, ...presets].map(({ name, title }) => [name, title]), state.preset);
      this.say('.unlinked', unlinked ? 'This network is too large for a link: the address does not contain it.' : '');
      this.#remark();
    });
    this.when('problem', () => this.#complain([this.session.problem]));
  }

  /** What the reader of a file remarked: sizes that the file leaves open, and operators without a known meaning. */
  #remark() {
    const { assumed = {}, unknown = [], given = [] } = this.session.reading ?? {};
    const strange = [...new Set(unknown.map(({ op, reason }) => `${op}: ${reason}`))];
    this.say('.strange', strange.length === 0 ? '' : `${counted(unknown.length, 'remark')}. ${strange.slice(0, 3).join(' ')}`);
    const form = find(this, '.sizes', HTMLFormElement);
    form.hidden = Object.keys(assumed).length === 0;
    const text = JSON.stringify([assumed, given]);
    if (text === this.#sizes) return;
    this.#sizes = text;
    const rows = Object.entries(assumed).map(([name, size]) =>
      make('label', {}, [
        make('span', {}, [`${name} = ${exactText(size)}${given.includes(name) ? '' : ', assumed'}`]),
        make('input', { type: 'number', name, value: String(size), min: '1', step: '1', required: '', 'aria-label': `Size of ${name}` }),
      ]),
    );
    form.replaceChildren(...rows, make('button', { type: 'submit' }, ['Read again']));
  }

  /** @param {(string | Node)[]} message */
  #complain(message) {
    find(this, '.error', HTMLElement).replaceChildren(...message);
  }

  /**
   * @param {File} file
   * @param {Record<string, number>} [sizes] of dimensions that the file leaves open
   */
  async #open(file, sizes = {}) {
    const other = elsewhere(file.name);
    const nodes = other === null ? otherReader(file) : [other];
    if (nodes) {
      this.#complain([make('span', {}, nodes)]);
      return;
    }
    await this.#load(async (signal) => {
      if (file.size > MOST_FILE_BYTES) {
        throw new Error(`a file of ${exactText(file.size)} bytes: at most ${exactText(MOST_FILE_BYTES)} are read. Weights may stand in a file beside it.`);
      }
      if (/\.json$/i.test(file.name)) return { ...pastedOf(await file.text()), reading: null };
      const { graph, assumed, unknown } = await readOnnx(file, sizes, signal);
      this.#file = file;
      return { graph, reading: { assumed, unknown, given: Object.keys(sizes) } };
    }, file.name);
  }

  /**
   * @param {(signal: AbortSignal) => Promise<{graph: GraphJson, reading: Reading | null, rules?: string}>} read
   * @param {string} name
   */
  async #load(read, name) {
    const signal = this.ask();
    this.#complain([]);
    try {
      const { graph, reading, rules } = await read(signal);
      if (!signal.aborted) await this.session.take(graph, name, reading, rules);
    } catch (error) {
      if (signal.aborted) return;
      const why = `${name ? `${name}: ` : ''}${error instanceof SyntaxError ? `This is not JSON: ${error.message}` : messageOf(error)}`;
      // Whose numbers the page still shows.
      const shown = this.session.answer && find(this, '#preset', HTMLSelectElement).selectedOptions[0]?.text;
      this.#complain([`${why}${why.endsWith('.') ? '' : '.'}${shown ? ` ${shown} is still shown.` : ''}`]);
    }
  }

  /**
   * Reads a pasted text; the log of a run belongs to another page.
   * @param {string} text
   */
  async #paste(text) {
    if (await isRun(text, this.signal)) this.#complain(['This is the log of a run: ', runLink(text), '.']);
    else void this.#load(async () => ({ ...pastedOf(text), reading: null }), '');
  }
});
