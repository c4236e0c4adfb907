import { bytesText } from '../../core/network/texts.js';
import { movedOf, NO_DIFFERENCE, unknownOf } from '../../state/network/assignment.js';
import { beforeText } from '../../state/network/rules.js';
import { frames } from '../../state/network/scene.js';
import { countedText, differenceText, PLANNED_WITHOUT, partsText, proofText, resultText, showsText } from '../../words/network.js';
import { find, make, makeButton, NetworkPart } from '../shared/part.js';

/** The network, what its rules or its plan move, and a bar for the plan and each of its rivals. */
customElements.define('network-plan', class NetworkPlan extends NetworkPart {
  /** @override */
  start() {
    this.follow(['presets', 'state', 'answer'], () => {
      const { presets, state, file } = this.session;
      const preset = presets.find(({ name }) => name === state.preset);
      this.say('.title', state.preset === '' ? file || 'Your own' : (preset?.title ?? ''));
      this.say('.shows', preset ? showsText(preset, state) : '');
      const rules = document.querySelector(`#rules [value="${CSS.escape(state.rules)}"]`);
      this.say('.about', state.show === 'plan' ? PLANNED_WITHOUT : (rules?.getAttribute('data-title') ?? ''));
    });
    this.when('answer', () => this.#say());
    this.when('answer', () => this.#show());
    const anyhow = find(this, 'input[name="results"]', HTMLInputElement);
    this.listen(anyhow, 'change', () => this.session.change({ anyhow: anyhow.checked }));
    this.follow('state', () => (anyhow.checked = this.session.state.anyhow));
  }

  #say() {
    const { state, answer } = this.session;
    if (!answer) return;
    const planned = answer.show === 'plan';
    this.say('.result', resultText(answer.assignment, answer.show, unknownOf(answer.graph, answer.found)));
    const usual = (/** @type {string} */ name) => document.getElementById(`${state.rules}-${name}`)?.dataset.default ?? '';
    const was = planned ? 'the plan without your choices' : beforeText(state.was, state, usual);
    this.say('.difference', answer.difference === NO_DIFFERENCE ? '' : differenceText(answer.difference, was, frames(answer.scene)));
  }

  #show() {
    const plan = this.session.answer?.plan ?? null;
    find(this, 'section', HTMLElement).hidden = plan === null;
    if (!plan) return;
    this.say('.counted', countedText(plan));
    this.say('.proof', proofText(plan));
    const own = { name: 'plan', ...movedOf({ ...plan, weights_each_call: false }) };
    const rows = [own, ...[...plan.baselines].sort((a, b) => a.cost - b.cost)];
    const most = Math.max(1, ...rows.map(({ cost }) => cost));
    find(this, '.bars', HTMLElement).replaceChildren(
      ...rows.map((row) => {
        const { name, cost } = row;
        const bar = make('span', { class: 'bar-fill', 'aria-hidden': 'true' });
        bar.style.setProperty('--share', `${(100 * cost) / most}%`);
        const bound = make('span', { class: 'bar-bound', 'aria-hidden': 'true' });
        bound.style.setProperty('--share', `${(100 * plan.bound) / most}%`);
        return make('li', name === 'plan' ? { class: 'best' } : {}, [
          make('span', { class: 'name' }, [name]),
          make('span', { class: 'cost mono' }, [bytesText(cost)]),
          make('span', { class: 'bar-room' }, [bar, bound]),
          make('span', { class: 'count hint' }, [partsText(row)]),
        ]);
      }),
    );
    find(this, '.left-out', HTMLElement).replaceChildren(
      ...plan.left_out.map(({ name, reason }) => make('li', {}, [`${name} is not compared. ${reason}`])),
    );
    const { pins } = this.session.state;
    const pinned = find(this, '.pinned', HTMLElement);
    pinned.replaceChildren();
    if (pins.length === 0) return;
    pinned.append(`You chose the layouts of ${pins.map(({ node }) => node).join(', ')}. `, makeButton(['Undo'], () => this.session.change({ pins: [] })));
  }
});
