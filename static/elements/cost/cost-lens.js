import { lensOf } from '../../state/cost/lens.js';
import { ExplorerPart, find } from '../shared/part.js';

/** @typedef {import('../../state/session.js').Session} Session */

/** What accesses cost: the choice between a walk and a warp. */
export class CostLens extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    lensOf(session).follow(signal);
    this.addEventListener(
      'change',
      (event) => {
        if (!(event.target instanceof HTMLInputElement) || event.target.name !== 'cost-what') return;
        const what = event.target.value === 'warp' ? 'warp' : 'walk';
        session.change({ cost: Object.freeze({ ...session.state.cost, what }) }, 'push');
      },
      { signal },
    );
    session.on('state', () => this.#fill(session), signal);
    this.#fill(session);
    lensOf(session).ask();
  }

  /** @param {Session} session */
  #fill({ state }) {
    const { what } = state.cost;
    find(this, `input[value=${what}]`, HTMLInputElement).checked = true;
    find(this, 'walk-cost', HTMLElement).hidden = what !== 'walk';
    find(this, 'warp-cost', HTMLElement).hidden = what !== 'warp';
  }
}

customElements.define('cost-lens', CostLens);
