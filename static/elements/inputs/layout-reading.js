import { systemName } from '../../words/systems.js';
import { ExplorerPart, makeButton } from '../shared/part.js';

/** @import { Reading } from '../../api/types.js' */

/** Says how the layout in the field is read, and how else it could be read. */
customElements.define('layout-reading', class LayoutReading extends ExplorerPart {
  /** @override */
  start() {
    this.follow(['answer', 'problem'], () => this.replaceChildren(...this.#parts()));
  }

  /** @returns {(string | Node)[]} nothing where no layout stands or nothing is to be said of it */
  #parts() {
    const answer = this.session.answers[this.side];
    if (!answer || this.session.stale[this.side] || this.session.problems[this.side].length > 0) return [];
    const { readings, system } = answer.memory.description;
    const { dtype } = answer.fields;
    const own = dtype === this.session.state.a.dtype ? '' : `; its elements are ${dtype}`;
    if (readings.length === 0) return system === null ? [] : [`Read as ${systemName(system)}, as its prefix asks${own}`];
    const [chosen, ...others] = readings;
    const same = others.filter((reading) => reading.same);
    const longer = others.filter((reading) => !reading.same && reading.shape !== null);
    const different = others.filter((reading) => !reading.same && reading.shape === null);
    return [
      `Read as ${systemName(chosen.system)}`,
      ...this.#others('; the same as ', same),
      ...longer.flatMap((reading) => this.#others(`; the same memory, as ${reading.shape?.join('×')}, in `, [reading])),
      ...this.#others('; other memory as ', different),
      own,
    ];
  }

  /**
   * @param {string} lead
   * @param {readonly Reading[]} readings
   * @returns {(string | Node)[]} nothing where there are none
   */
  #others(lead, readings) {
    return readings.flatMap(({ system, text }, at) => {
      const layout = `${system}:${text}`;
      const read = () => this.session.edit(this.side, { layout }, 'push');
      return [at === 0 ? lead : ', ', makeButton([systemName(system)], read, { class: 'quiet', title: `Read it as ${layout}` })];
    });
  }
});
