import { choicesOf } from '../../words/command/choices.js';
import { ExplorerPart, fillSelect, find } from '../shared/part.js';

/** A choice of how to draw, stored in the state under the element's name. */
customElements.define('state-select', class StateSelect extends ExplorerPart {
  /** @returns {'colour' | 'text'} */
  get name() {
    return this.getAttribute('name') === 'text' ? 'text' : 'colour';
  }

  /** @override */
  start() {
    const select = find(this, 'select', HTMLSelectElement);
    this.listen(select, 'change', () => this.session.change({ [this.name]: select.value }, 'push'));
    this.follow(['state', 'answer', 'values'], () => {
      const { state, answers, loaded } = this.session;
      const choices = choicesOf(this.name, answers.a?.memory.tensor?.dims ?? [], Boolean(loaded));
      const present = state[this.name];
      if (!choices.some(([value]) => value === present)) choices.push([present, present]);
      fillSelect(select, choices, present);
    });
  }
});
