import { comparedRows, comparedText } from '../../words/facts/compared.js';
import { ExplorerPart, make } from '../shared/part.js';
import { makeRow, makeTable } from '../shared/table/tables.js';

/** The facts of A and of B in two columns, while there are two: what differs is bold, underlined and marked. */
customElements.define('compared-facts', class ComparedFacts extends ExplorerPart {
  /** @override */
  start() {
    this.follow('answer', () => {
      const { answers: { a, b } } = this.session;
      this.hidden = !a || !b || a.description.shape.length !== b.description.shape.length;
      if (this.hidden || !a || !b) return;
      const rows = comparedRows(a.description, b.description).map((row) => {
        const name = make('span', {}, [row.name, ...(row.differs ? [make('span', { class: 'sign' }, ['\u00a0≠'])] : [])]);
        return makeRow(name, [row.a, row.b], row.differs ? { class: 'differs' } : {});
      });
      this.replaceChildren(
        make('p', { class: 'see' }, [comparedText(a.description, b.description, a.itemsize_bits)]),
        makeTable(['', 'A', 'B'], rows, { class: 'numbers' }),
      );
    });
  }
});
