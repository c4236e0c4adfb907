import { createFrame } from './frame.js';
import { ExplorerPart } from './part.js';

/** @import { Answer } from '../../state/types.js' */

/** Base class of the elements that show facts of A or of B, whichever is chosen. */
export class FactsPart extends ExplorerPart {
  /** @type {unknown[]} */
  #shown = [];

  /** @override */
  start() {
    const { session } = this;
    const of = () => [session.answers[session.side], session.answers.a, session.answers.b, session.state.show, session.story?.preset];
    const same = () => of().every((one, at) => one === this.#shown[at]);
    const show = () => {
      const answer = session.answers[session.side];
      if (!answer || same()) return;
      this.#shown = of();
      this.replaceChildren(...this.content(answer, session.answers));
    };
    const afterGrids = createFrame(show, this.signal, { apart: true });
    this.follow(['answer', 'state', 'story'], () => (this.#shown.length === 0 ? show() : same() || afterGrids()));
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
