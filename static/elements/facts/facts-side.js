import { ExplorerPart, find } from '../shared/part.js';

/** The choice between the facts of A and of B, while there are two. */
customElements.define('facts-side', class FactsSide extends ExplorerPart {
  /** @override */
  start() {
    this.listen(this, 'change', () => (this.session.side = find(this, 'input[value=b]', HTMLInputElement).checked ? 'b' : 'a'));
    this.follow(['answer', 'state'], () => {
      const { answers, side } = this.session;
      this.hidden = answers.b === null;
      const chosen = find(this, `input[value=${side}]`, HTMLInputElement);
      // One that is set anew makes Chromium read all fields of the page, before the grids are drawn.
      if (!chosen.checked) chosen.checked = true;
    });
  }
});
