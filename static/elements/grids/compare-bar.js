import { keptAddresses } from '../../core/layout/kept.js';
import { reorderHref } from '../../state/reorder/link.js';
import { keptText } from '../../words/kept.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** The line above two memories: how many elements keep their address, and whether the memories are in step. */
export class CompareBar extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const box = find(this, 'input', HTMLInputElement);
    box.addEventListener(
      'change',
      () => {
        const view = Object.freeze({ ...session.state.view, memoryB: null });
        session.change({ apart: !box.checked, view }, 'push');
      },
      { signal },
    );
    const tensor = find(this, '.tensor', HTMLButtonElement);
    tensor.addEventListener('click', () => this.#showTensor(tensor.getAttribute('aria-pressed') !== 'true'), { signal });
    session.on('answer', () => this.#count(session), signal);
    session.on('state', () => this.#fill(session), signal);
    this.#count(session);
    this.#fill(session);
  }

  /**
   * With two memories the tensor gives its room to them, until it is asked for.
   * @param {boolean} wanted
   */
  #showTensor(wanted) {
    find(this, '.tensor', HTMLButtonElement).setAttribute('aria-pressed', String(wanted));
    this.parentElement?.classList.toggle('with-tensor', wanted);
  }

  /** @param {Session} session */
  #fill({ state }) {
    find(this, 'input', HTMLInputElement).checked = !state.apart;
    find(this, 'a', HTMLAnchorElement).href = reorderHref(state);
  }

  /** @param {Session} session */
  #count({ answers }) {
    const a = answers.a?.tensor;
    const b = answers.b?.tensor;
    this.hidden = !answers.b;
    this.parentElement?.classList.toggle('comparing', !this.hidden);
    const line = find(this, '.kept', HTMLElement);
    // Between two answers A and B may have different shapes: the next answer follows at once.
    if (!a || !b || String(a.shape) !== String(b.shape)) return;
    const text = keptText(keptAddresses(a, b));
    if (line.textContent !== text) line.textContent = text;
  }
}

customElements.define('compare-bar', CompareBar);
