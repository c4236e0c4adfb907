import { ExplorerPart, make } from '../shared/part.js';

/** Errors that belong to no field on the page: the server does not answer. */
customElements.define('tensor-problem', class TensorProblem extends ExplorerPart {
  /** @override */
  start() {
    this.follow('problem', () => {
      const { problems } = this.session;
      const alone = [...problems.a, ...problems.b, ...problems.slice].filter(({ field }) => field === 'other');
      const messages = alone.map(({ message }) => message);
      this.replaceChildren(...[...new Set(messages)].map((message) => make('p', { class: 'error' }, [message])));
    });
  }
});
