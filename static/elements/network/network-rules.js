import { find, NetworkPart } from '../shared/part.js';

/** The choice of rules or plan, and of folding. */
customElements.define('network-rules', class NetworkRules extends NetworkPart {
  /** @override */
  start() {
    const { session } = this;
    const rules = find(this, '#rules', HTMLSelectElement);
    this.listen(rules, 'change', () => session.chooseRules(rules.value));
    const show = find(this, '#show', HTMLSelectElement);
    this.listen(show, 'change', () => session.change({ show: show.value === 'plan' ? 'plan' : 'rules' }));
    const options = [...this.querySelectorAll('[data-option]')].filter((each) => each instanceof HTMLSelectElement);
    for (const option of options) {
      const { dataset } = option;
      this.listen(option, 'change', () => session.chooseOption(dataset.option ?? '', option.value === dataset.default ? '' : option.value));
    }
    const fold = find(this, '[name=fold]', HTMLInputElement);
    this.listen(fold, 'change', () => session.change({ fold: fold.checked, unfolded: [] }));
    this.follow('state', () => {
      const { state } = session;
      rules.value = state.rules;
      show.value = state.show;
      fold.checked = state.fold;
      for (const option of options) {
        const row = option.closest('.option');
        const shown = row instanceof HTMLElement && row.dataset.rules === state.rules;
        if (row instanceof HTMLElement) row.hidden = !shown;
        const { option: name = '', default: usual = '' } = option.dataset;
        option.value = (shown ? state.options[name] : undefined) ?? usual;
      }
    });
  }
});
