import { choicesOf } from '../../words/command/choices.js';
import { ExplorerPart, fillSelect, find } from '../shared/part.js';

/** A choice of how to draw, stored in the state under the element's name. */
customElements.define('state-select', class StateSelect extends ExplorerPart {
  /** @override */
  start() {
    const name = this.getAttribute('name') === 'text' ? 'text' : 'colour';
    const select = find(this, 'select', HTMLSelectElement);
    this.listen(select, 'change', () => this.session.change({ [name]: select.value }, 'push'));
    this.follow(['state', 'answer', 'values'], () => {
      const { state, answers, loaded } = this.session;
      const choices = choicesOf(name, answers.a?.memory.tensor?.dims ?? [], Boolean(loaded));
      const present = state[name];
      if (!choices.some(([value]) => value === present)) choices.push([present, present]);
      fillSelect(select, choices, present);
    });
  }
});
