import { differenceText, resultText } from '../../words/network.js';
import { rulesText } from '../../state/network/rules.js';
import { find, NetworkPart } from '../shared/part.js';

/** The choice of rules or plan, of folding, and what they come to. */
customElements.define('network-rules', class NetworkRules extends NetworkPart {
  /** @override */
  start() {
    const { session } = this;
    const rules = find(this, 'select', HTMLSelectElement);
    this.listen(rules, 'change', () => session.chooseRules(rules.value));
    for (const radio of this.#radios) {
      this.listen(radio, 'change', () => session.change({ show: radio.value === 'plan' ? 'plan' : 'rules' }));
    }
    for (const option of this.#options) {
      const { dataset } = option;
      this.listen(option, 'change', () => session.chooseOption(dataset.option ?? '', option.value === dataset.default ? '' : option.value));
    }
    const fold = find(this, '[name=fold]', HTMLInputElement);
    this.listen(fold, 'change', () => session.change({ fold: fold.checked, unfolded: [] }));
    this.follow('state', () => this.#follow());
    this.when('answer', () => this.#say());
  }

  get #radios() {
    return [...this.querySelectorAll('[name=show]')].filter((each) => each instanceof HTMLInputElement);
  }

  get #options() {
    return [...this.querySelectorAll('[data-option]')].filter((each) => each instanceof HTMLSelectElement);
  }

  #follow() {
    const { state } = this.session;
    const rules = find(this, 'select', HTMLSelectElement);
    rules.value = state.rules;
    for (const option of this.#options) {
      const row = option.closest('.option');
      const shown = row instanceof HTMLElement && row.dataset.rules === state.rules;
      if (row instanceof HTMLElement) row.hidden = !shown;
      const { option: name = '', default: usual = '' } = option.dataset;
      option.value = (shown ? state.options[name] : undefined) ?? usual;
    }
    this.say('.about', rules.selectedOptions[0]?.dataset.title ?? '');
    for (const radio of this.#radios) radio.checked = radio.value === state.show;
    find(this, '[name=fold]', HTMLInputElement).checked = state.fold;
  }

  #say() {
    const { state, answer } = this.session;
    if (!answer) return;
    const planned = answer.show === 'plan';
    this.say('.result', resultText(answer.assignment, answer.show));
    const compared = planned ? state.pins.length > 0 : state.was !== '' && state.was !== rulesText(state);
    find(this, '.difference', HTMLElement).textContent = compared
      ? differenceText(answer.difference, planned ? 'the plan without your choices' : state.was.replaceAll(';', ', '))
      : '';
  }
});
