import { lensOf } from '../../state/cost/lens.js';
import { alongChoices, fixText, provenText, warpLines, warpNotes } from '../../words/cost.js';
import { fillBox, numbersTable } from '../shared/table/tables.js';
import { around, ExplorerPart, fillSelect, find, make } from '../shared/part.js';

/** @import { Fix, WarpCost } from '../../api/cost.js' */

const SIDES = /** @type {const} */ (['a', 'b']);
const MOST_LANE_BITS = 128;
const VECTORS = [1, 2, 4, 8, 16, 32];

/** What an access of a warp costs: where its lanes are, sectors or passes, and layouts without conflicts. */
customElements.define('warp-cost', class WarpCostPart extends ExplorerPart {
  /** @override */
  start() {
    for (const select of this.querySelectorAll('select')) {
      this.listen(select, 'change', () => {
        const value = select.dataset.cost === 'vector' ? Number(select.value) : select.value;
        this.session.change({ cost: Object.freeze({ ...this.session.state.cost, [String(select.dataset.cost)]: value }) }, 'push');
      });
    }
    this.press('.suggest', () => lensOf(this.session).suggest());
    this.listen(this, 'click', (event) => {
      const { use: layout, side } = around(event, 'button[data-use]')?.dataset ?? {};
      if (layout === undefined) return;
      // The dimensions of A keep their names.
      const dims = [...(this.session.answers.a?.description.dims ?? [])].join('');
      if (side === 'b') this.session.edit('b', { layout }, 'push');
      else this.session.edit('a', { layout, dims }, 'push');
    });
    this.follow(['state', 'answer'], () => {
      const { state, answers } = this.session;
      const answer = answers.a;
      const { along, vector, space } = state.cost;
      const dims = [...(answer?.description.dims ?? [])];
      const alongs = alongChoices(dims, answer?.description.shape ?? []);
      if (!alongs.some(([value]) => value === along)) alongs.push([along, along.toLowerCase()]);
      const vectors = VECTORS.filter((count) => count === vector || count * (answer?.itemsize_bits ?? 32) <= MOST_LANE_BITS);
      fillSelect(this.#select('along'), alongs, along);
      fillSelect(this.#select('vector'), vectors.map((count) => [String(count), String(count)]), String(vector));
      const spaces = this.#select('space');
      if (spaces.value !== space) spaces.value = space;
      find(this, '.searches', HTMLElement).hidden = space !== 'shared';
    });
    this.follow('cost', () => this.#show());
  }

  /** @param {string} name */
  #select(name) {
    return find(this, `select[data-cost=${name}]`, HTMLSelectElement);
  }

  #show() {
    const { warps, suggested, late } = lensOf(this.session);
    this.say('.wait', late ? 'Counting' : '');
    this.say('.error', warps.a?.problem || warps.b?.problem || suggested?.problem || '');
    const counted = SIDES.flatMap((side) => (warps[side]?.answer ? [{ side, cost: /** @type {WarpCost} */ (warps[side]?.answer) }] : []));
    const heads = counted.length > 1 ? counted.map(({ side }) => side.toUpperCase()) : [];
    const lines = counted.map(({ cost }) => warpLines(cost));
    const rows = (lines[0] ?? []).map(([name], at) => [name, ...lines.map((each) => each[at]?.[1] ?? '–')]);
    const notes = counted.flatMap(({ cost }) => warpNotes(cost)).map((text) => make('p', { class: 'hint' }, [text]));
    fillBox(find(this, '.counts', HTMLElement), rows.length > 0 ? [numbersTable(heads, rows), ...phases(counted), ...notes] : []);
    fillBox(find(this, '.fixes', HTMLElement), fixes(suggested?.answer ?? null));
  }
});

/** @param {readonly {side: 'a' | 'b', cost: WarpCost}[]} counted */
function phases(counted) {
  const phased = counted.filter(({ cost }) => cost.phases.length > 0);
  if (phased.length === 0) return [];
  const rows = phased[0].cost.phases.map(({ first_lane, lanes }, at) => [
    `${first_lane} to ${first_lane + lanes - 1}`,
    ...phased.map(({ cost }) => String(cost.phases[at]?.passes ?? '–')),
  ]);
  const heads = phased.map(({ side }) => (phased.length > 1 ? `${side.toUpperCase()}, passes` : 'passes'));
  return [make('h2', {}, ['Phases, by lanes']), numbersTable(heads, rows)];
}

/** @param {WarpCost | null} cost with a suggestion */
function fixes(cost) {
  const suggestion = cost?.suggestion;
  if (!suggestion) return [];
  const { padding, swizzles, accesses, found } = suggestion;
  if (!accesses[0]?.conflicts) return [make('p', {}, ['There is no conflict to remove, in no warp of the tile.'])];
  const all = [...(padding ? [padding] : []), ...swizzles];
  if (all.length === 0) return [make('p', {}, ['No gap in one stride and no swizzle removes all conflicts.'])];
  const more = found > swizzles.length ? [make('p', { class: 'hint' }, [`${found} swizzles do; these are the best.`])] : [];
  return [make('h2', {}, ['Without conflicts']), make('ul', { class: 'fixes' }, all.map(fixItem)), ...more];
}

/** @param {Fix} fix */
function fixItem(fix) {
  return make('li', {}, [
    make('p', { class: 'mono' }, [fixText(fix)]),
    make('p', { class: 'hint' }, [provenText(fix)]),
    make('p', {}, [
      make('button', { type: 'button', 'data-use': fix.layout, 'data-side': 'a', 'aria-label': `Use ${fixText(fix)}` }, ['Use']),
      ' ',
      make('button', { type: 'button', 'data-use': fix.layout, 'data-side': 'b', 'aria-label': `Compare with ${fixText(fix)}` }, ['Compare']),
    ]),
  ]);
}
