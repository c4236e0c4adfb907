import { lensOf } from '../../state/cost/lens.js';
import { ExplorerPart, find } from '../shared/part.js';

/** What accesses cost: the choice between a walk and a warp. */
customElements.define('cost-lens', class CostLens extends ExplorerPart {
  /** @override */
  start() {
    lensOf(this.session).follow(this.signal);
    this.listen(this, 'change', (event) => {
      if (!(event.target instanceof HTMLInputElement) || event.target.name !== 'cost-what') return;
      const what = event.target.value === 'warp' ? 'warp' : 'walk';
      this.session.change({ cost: Object.freeze({ ...this.session.state.cost, what }) }, 'push');
    });
    this.follow('state', () => {
      const { a, cost: { what } } = this.session.state;
      find(this, '.whole', HTMLElement).hidden = a.slice.trim() === '';
      find(this, `input[value=${what}]`, HTMLInputElement).checked = true;
      find(this, 'walk-cost', HTMLElement).hidden = what !== 'walk';
      find(this, 'warp-cost', HTMLElement).hidden = what !== 'warp';
    });
    lensOf(this.session).ask();
  }
});
