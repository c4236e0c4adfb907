import { comparedRows, comparedText } from '../../words/facts/compared.js';
import { ExplorerPart, make } from '../shared/part.js';

/** The facts of A and of B in two columns, while there are two: what differs is bold, underlined and marked. */
customElements.define('compared-facts', class ComparedFacts extends ExplorerPart {
  /** @override */
  start() {
    this.follow('answer', () => this.#show());
  }

  #show() {
    const { answers: { a, b } } = this.session;
    this.hidden = !a || !b || a.description.shape.length !== b.description.shape.length;
    if (this.hidden || !a || !b) return;
    const head = ['', 'A', 'B'].map((text, at) => make(at > 0 ? 'th' : 'td', at > 0 ? { scope: 'col' } : {}, [text]));
    const rows = comparedRows(a.description, b.description).map((row) => {
      const differs = row.a !== row.b;
      const cells = [row.a, row.b].map((text) => make('td', {}, [text]));
      return make('tr', differs ? { class: 'differs' } : {}, [make('th', { scope: 'row' }, [row.name, ...(differs ? [' ≠'] : [])]), ...cells]);
    });
    this.replaceChildren(
      make('p', { class: 'see' }, [comparedText(a.description, b.description, a.itemsize_bits)]),
      make('table', { class: 'numbers' }, [make('thead', {}, [make('tr', {}, head)]), make('tbody', {}, rows)]),
    );
  }
});
