import { keptAddresses } from '../../core/layout/kept.js';
import { reorderHref } from '../../state/reorder/link.js';
import { keptText } from '../../words/kept.js';
import { ExplorerPart, find } from '../shared/part.js';

/** The line above two memories: how many elements keep their address, and whether the memories are in step. */
customElements.define('compare-bar', class CompareBar extends ExplorerPart {
  /** @override */
  start() {
    const box = find(this, 'input', HTMLInputElement);
    this.listen(box, 'change', () => {
      const view = Object.freeze({ ...this.session.state.view, memoryB: null });
      this.session.change({ apart: !box.checked, view }, 'push');
    });
    // With two memories the tensor gives its room to them, until it is asked for.
    this.press('.tensor', () => {
      const shown = this.parentElement?.classList.toggle('with-tensor');
      this.say('.tensor', `${shown ? 'Hide' : 'Show'} the tensor`);
    });
    this.follow('answer', () => {
      const { answers } = this.session;
      const a = answers.a?.tensor;
      const b = answers.b?.tensor;
      this.hidden = !answers.b;
      this.page.classList.toggle('comparing', !this.hidden);
      // Between two answers A and B may have different shapes: the next answer follows at once.
      if (!a || !b || String(a.shape) !== String(b.shape)) return;
      this.say('.kept', keptText(keptAddresses(a, b)));
      // A comparison begins with a cell in both, near the first one; but a chosen cell is where a warp begins.
      const last = a.shape.findLastIndex((size) => size > 1);
      if (!this.session.selected && a.elements > 0 && this.session.state.tab !== 'cost') this.session.select(a.shape.map((_, dim) => Number(dim === last)));
    });
    this.follow('state', () => {
      box.checked = !this.session.state.apart;
      find(this, 'a', HTMLAnchorElement).href = reorderHref(this.session.state);
    });
  }
});
