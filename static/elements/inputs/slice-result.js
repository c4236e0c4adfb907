import { sliceRows } from '../../words/facts/sliced.js';
import { ExplorerPart, make } from '../shared/part.js';

/** What the API says about the slice: its shape, its addresses and whether it is a view. */
customElements.define('slice-result', class SliceResult extends ExplorerPart {
  /** @override */
  start() {
    const say = () => {
      const { sliced, answers } = this.session;
      const rows = sliced ? sliceRows(sliced, answers.a) : [];
      this.replaceChildren(...rows.map(([name, text]) => make('p', {}, [make('span', { class: 'name' }, [name]), make('span', { class: 'mono' }, [text])])));
    };
    // Until then the line that the server has left for it stays.
    this.when('slice', say);
    this.when('answer', () => {
      if (this.session.sliced) say();
    });
  }
});
