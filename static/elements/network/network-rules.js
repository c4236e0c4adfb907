import { differenceText, resultText } from '../../words/network.js';
import { rulesText } from '../../state/network/rules.js';
import { find, NetworkPart } from '../shared/part.js';

/** @typedef {import('../../state/network/session.js').NetworkSession} NetworkSession */

/** The choice of rules or plan, of folding, and what they come to. */
export class NetworkRules extends NetworkPart {
  /** @override @type {NetworkPart['start']} */
  start(session, signal) {
    const rules = find(this, 'select', HTMLSelectElement);
    rules.addEventListener('change', () => session.chooseRules(rules.value), { signal });
    for (const radio of this.#radios) {
      radio.addEventListener('change', () => session.change({ show: radio.value === 'plan' ? 'plan' : 'rules' }), { signal });
    }
    for (const option of this.#options) {
      const { dataset } = option;
      option.addEventListener(
        'change',
        () => session.chooseOption(dataset.option ?? '', option.value === dataset.default ? '' : option.value),
        { signal },
      );
    }
    const fold = find(this, '[name=fold]', HTMLInputElement);
    fold.addEventListener('change', () => session.change({ fold: fold.checked, unfolded: [] }), { signal });
    session.on('state', () => this.#follow(session), signal);
    session.on('answer', () => this.#say(session), signal);
    this.#follow(session);
  }

  get #radios() {
    return [...this.querySelectorAll('[name=show]')].filter((each) => each instanceof HTMLInputElement);
  }

  get #options() {
    return [...this.querySelectorAll('[data-option]')].filter((each) => each instanceof HTMLSelectElement);
  }

  /** @param {NetworkSession} session */
  #follow({ state }) {
    const rules = find(this, 'select', HTMLSelectElement);
    rules.value = state.rules;
    for (const option of this.#options) {
      const row = option.closest('.option');
      const shown = row instanceof HTMLElement && row.dataset.rules === state.rules;
      if (row instanceof HTMLElement) row.hidden = !shown;
      const { option: name = '', default: usual = '' } = option.dataset;
      option.value = (shown ? state.options[name] : undefined) ?? usual;
    }
    find(this, '.about', HTMLElement).textContent = rules.selectedOptions[0]?.dataset.title ?? '';
    for (const radio of this.#radios) radio.checked = radio.value === state.show;
    find(this, '[name=fold]', HTMLInputElement).checked = state.fold;
  }

  /** @param {NetworkSession} session */
  #say({ state, answer }) {
    if (!answer) return;
    const planned = answer.show === 'plan';
    find(this, '.result', HTMLElement).textContent = resultText(answer.assignment, answer.show);
    const compared = planned ? state.pins.length > 0 : state.was !== '' && state.was !== rulesText(state);
    find(this, '.difference', HTMLElement).textContent = compared
      ? differenceText(answer.difference, planned ? 'the plan without your choices' : state.was.replaceAll(';', ', '))
      : '';
  }
}

customElements.define('network-rules', NetworkRules);
