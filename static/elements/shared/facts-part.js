import { createFrame } from './frame.js';
import { ExplorerPart } from './part.js';

/** @import { Answer } from '../../state/types.js' */

/** Base class of the elements that show facts of A or of B, whichever is chosen. */
export class FactsPart extends ExplorerPart {
  /** @type {unknown[]} */
  #shown = [];

  /** @override */
  start() {
    const show = () => {
      const { answers, side, state, story } = this.session;
      const answer = answers[side];
      const all = [answer, answers.a, answers.b, state.show, story?.preset];
      if (!answer || all.every((one, at) => one === this.#shown[at])) return;
      this.#shown = all;
      this.replaceChildren(...this.content(answer, answers));
    };
    const afterGrids = createFrame(show, this.signal, { apart: true });
    this.follow(['answer', 'side', 'state', 'story'], () => (this.#shown.length === 0 ? show() : afterGrids()));
  }

  /**
   * @param {Answer} _answer of the chosen side
   * @param {{a: Answer | null, b: Answer | null}} _both
   * @returns {Node[]}
   */
  content(_answer, _both) {
    throw new Error(`${this.localName} says nothing`);
  }
}
