import { ExplorerPart, find } from '../shared/part.js';
import { fillSelect } from '../shared/select.js';

const CHOICES = {
  colour: [
    ['auto', 'auto'],
    ['channel', 'by channel'],
    ['linear', 'by index'],
    ['@line', 'by cache line'],
    ['@page', 'by page'],
    ['@sector', 'by 32-byte sector'],
    ['@bank', 'by bank'],
  ],
  text: [
    ['auto', 'auto'],
    ['linear', 'index'],
    ['letter', 'letters'],
    ['value', 'value'],
    ['coords', 'coordinates'],
    ['address', 'address'],
  ],
};

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
    this.follow(['state', 'answer', 'values'], () => this.#fill());
  }

  #fill() {
    const { state, answers, loaded } = this.session;
    const select = find(this, 'select', HTMLSelectElement);
    const choices = CHOICES[this.name].filter(([value]) => value !== 'value' || loaded);
    if (this.name === 'colour') {
      for (const dim of answers.a?.memory.tensor?.dims ?? []) choices.push([dim, `by ${dim.toLowerCase()}`]);
    }
    const present = state[this.name];
    if (!choices.some(([value]) => value === present)) choices.push([present, present]);
    fillSelect(select, choices, present);
  }
});
