import { ExplorerPart, find } from '../shared/part.js';

/** The choice between the facts of A and of B, while there are two. */
export class FactsSide extends ExplorerPart {
  /** @override */
  start() {
    this.listen(this, 'change', () => (this.session.side = find(this, 'input[value=b]', HTMLInputElement).checked ? 'b' : 'a'));
    this.follow(['answer', 'side'], () => this.#show());
  }

  #show() {
    const { answers, side } = this.session;
    this.hidden = answers.b === null;
    find(this, `input[value=${side}]`, HTMLInputElement).checked = true;
  }
}

customElements.define('facts-side', FactsSide);
