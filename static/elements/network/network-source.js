import { ApiProblem } from '../../api/client.js';
import { readOnnx } from '../../api/networks/calls.js';
import { find, make, NetworkPart } from '../shared/part.js';

/** @typedef {import('../../state/network/session.js').NetworkSession} NetworkSession */
/** @typedef {import('../../api/networks/types.js').GraphJson} GraphJson */

const MOST_FILE_BYTES = 2 ** 26;

/** Where the network comes from: a preset, a file, or a pasted text. */
export class NetworkSource extends NetworkPart {
  /** Counts the files: one that is read slowly must not replace a later one. */
  #turn = 0;

  /**
   * @override
   * @param {NetworkSession} session
   * @param {AbortSignal} signal
   */
  start(session, signal) {
    const select = find(this, 'select', HTMLSelectElement);
    select.addEventListener('change', () => session.choosePreset(select.value), { signal });
    const input = find(this, 'input[type=file]', HTMLInputElement);
    input.addEventListener(
      'change',
      () => {
        const file = input.files?.[0];
        if (file) this.#open(session, file);
        input.value = '';
      },
      { signal },
    );
    find(this, 'form', HTMLFormElement).addEventListener(
      'submit',
      (event) => {
        event.preventDefault();
        this.#load(session, async () => graphOf(find(this, 'textarea', HTMLTextAreaElement).value), '');
      },
      { signal },
    );
    this.#watchDrops(session, signal);
    session.on(['presets', 'state', 'answer'], () => this.#show(session), signal);
    session.on('problem', () => this.#complain(session.problem), signal);
    this.#show(session);
  }

  /** @param {NetworkSession} session */
  #show({ presets, state, file, unlinked }) {
    const select = find(this, 'select', HTMLSelectElement);
    const own = state.preset === '' ? [{ name: '', title: file || 'Your own' }] : [];
    const wanted = [...own, ...presets];
    if ([...select.options].map(({ text }) => text).join() !== wanted.map(({ title }) => title).join()) {
      select.replaceChildren(...wanted.map(({ name, title }) => make('option', { value: name }, [title])));
    }
    select.value = state.preset;
    find(this, '.shows', HTMLElement).textContent = presets.find(({ name }) => name === state.preset)?.shows ?? '';
    find(this, '.unlinked', HTMLElement).textContent = unlinked
      ? 'This network is too large for a link: the address does not contain it.'
      : '';
  }

  /** @param {string} message */
  #complain(message) {
    find(this, '.error', HTMLElement).textContent = message;
  }

  /**
   * @param {NetworkSession} session
   * @param {File} file
   */
  #open(session, file) {
    return this.#load(
      session,
      async () => {
        if (file.size > MOST_FILE_BYTES) {
          throw new Error(`${file.name} has ${file.size} bytes: at most ${MOST_FILE_BYTES} are read.`);
        }
        if (/\.json$/i.test(file.name)) return graphOf(await file.text());
        return readOnnx(file, new AbortController().signal);
      },
      file.name,
    );
  }

  /**
   * @param {NetworkSession} session
   * @param {() => Promise<GraphJson>} read
   * @param {string} name
   */
  async #load(session, read, name) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#complain('');
    try {
      const graph = await read();
      if (turn === this.#turn) await session.take(graph, name);
    } catch (error) {
      if (turn === this.#turn) this.#complain(messageOf(error));
    }
  }

  /**
   * @param {NetworkSession} session
   * @param {AbortSignal} signal
   */
  #watchDrops(session, signal) {
    const hint = find(document, '.drop-hint', HTMLElement);
    /** @param {DragEvent} event */
    const over = (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      hint.hidden = false;
    };
    /** @param {DragEvent} event */
    const drop = (event) => {
      hint.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      this.#open(session, file);
    };
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('drop', drop, { signal });
    document.addEventListener('dragleave', (event) => { hint.hidden ||= event.relatedTarget === null; }, { signal });
  }
}

/**
 * The graph in a text: the contract's JSON of a graph, or of a request that has one.
 * @param {string} text
 * @returns {GraphJson}
 */
function graphOf(text) {
  const value = JSON.parse(text);
  const graph = value?.graph ?? value;
  if (!Array.isArray(graph?.nodes)) throw new Error('The JSON has no list "nodes".');
  return graph;
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof SyntaxError) return `This is not JSON: ${error.message}`;
  if (error instanceof ApiProblem) return error.problems[0].message;
  return error instanceof Error ? error.message : String(error);
}

customElements.define('network-source', NetworkSource);
