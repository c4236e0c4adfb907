import { changeCut, readCuts, writeCuts } from '../../core/slice/cuts.js';
import { visibleRange } from '../../core/grid/viewport.js';
import { layOver } from '../shared/frame.js';
import { ExplorerPart, find, make } from '../shared/part.js';
import { GripTrack } from '../shared/slice/grip-track.js';

/** @import { LogicalGrid, Viewport } from '../../core/types.js' */
/** @import { Scale } from '../shared/slice/grip-track.js' */

/** Room for the grips beside the labels of the edges. */
export const GRIPS_CSS = 50;
/** Told when the room beside the labels is taken or given back. */
export const GRIPS = 'grips';
const GRIP_CSS = 22;
const OUTER_CSS = 132;
const OUTER_ROOM_CSS = 26;

/**
 * The slice as grips: on the edges of the logical grid for the dimensions of a plane, as sliders above it for
 * the others. They change the text of the slice's field, and follow it.
 */
export class SliceGrips extends ExplorerPart {
  /** @type {Map<number, GripTrack>} by dimension */
  #tracks = new Map();
  #made = '';
  /** @type {{viewport: Viewport, grid: LogicalGrid} | null} */
  #placed = null;

  /** @override */
  start() {
    const button = find(this.parentElement ?? document, '.slice-toggle', HTMLButtonElement);
    this.listen(button, 'click', () => {
      const hidden = this.toggleAttribute('hidden');
      button.setAttribute('aria-expanded', String(!hidden));
      this.#fill();
      this.dispatchEvent(new CustomEvent(GRIPS, { bubbles: true }));
    });
    this.when(['state', 'answer'], () => this.#fill());
  }

  /** @returns {number} room that the grips need on the upper and on the left edge */
  get room_css() {
    return this.hidden ? 0 : GRIPS_CSS;
  }

  /**
   * Called with each frame of the grid, so that the grips stay at their cells.
   * @param {Viewport} viewport
   * @param {LogicalGrid} grid
   * @param {HTMLCanvasElement} canvas
   */
  place(viewport, grid, canvas) {
    if (this.hidden) return;
    this.#placed = { viewport, grid };
    this.#fill();
    // Measured now: the sliders above the canvas may have come with this frame.
    layOver(find(this, '.over', HTMLElement), canvas);
  }

  #fill() {
    const { session } = this;
    if (this.hidden) return;
    const tensor = session.answers.a?.tensor;
    const slice = tensor && tensor.elements > 0 ? readCuts(session.state.a.slice, tensor.shape) : null;
    const said = slice ? (tensor?.shape.length === 0 ? 'One element: there is nothing to slice.' : '') : 'No grips for the slice as it is typed.';
    this.say('.note', said);
    for (const part of ['.outers', '.over']) find(this, part, HTMLElement).hidden = !slice;
    if (!slice || !tensor || !this.#placed) return;
    const { grid } = this.#placed;
    if (grid.order.length !== tensor.shape.length) return;
    this.#make(tensor.shape, tensor.dims, grid.order);
    for (const [dim, track] of this.#tracks) track.show(slice.cuts[dim], this.#scaleOf(dim, tensor.shape[dim]));
  }

  /**
   * @param {readonly number[]} shape
   * @param {readonly string[]} dims
   * @param {readonly number[]} order
   */
  #make(shape, dims, order) {
    const made = JSON.stringify([shape, dims, order]);
    if (made === this.#made) return;
    this.#made = made;
    this.#tracks.clear();
    const trackOf = (/** @type {number} */ dim) => {
      const name = dims[dim].toLowerCase();
      const root = make('div', { role: 'group', 'aria-label': `Slice along ${name}` });
      const dimension = { name, size: shape[dim], vertical: dim === order.at(-2) };
      const track = new GripTrack(root, dimension, (change, first) => {
        const slice = readCuts(this.session.state.a.slice, shape);
        if (slice) this.session.edit('a', { slice: writeCuts(changeCut(slice, dim, change), shape) }, first ? 'push' : 'replace');
      }, this.signal);
      this.#tracks.set(dim, track);
      return root;
    };
    const outers = order.slice(0, -2).filter((dim) => shape[dim] > 1).map((dim) => {
      const root = trackOf(dim);
      root.style.width = `${OUTER_CSS + 2 * OUTER_ROOM_CSS}px`;
      return make('div', { class: 'outer' }, [make('span', { class: 'mono', 'aria-hidden': 'true' }, [dims[dim].toLowerCase()]), root]);
    });
    find(this, '.outers', HTMLElement).replaceChildren(...outers);
    const edges = order.slice(-2).filter((dim) => shape[dim] > 1).reverse();
    find(this, '.over', HTMLElement).replaceChildren(...edges.map(trackOf));
  }

  /**
   * @param {number} dim
   * @param {number} size
   * @returns {Scale}
   */
  #scaleOf(dim, size) {
    const { viewport, grid } = /** @type {{viewport: Viewport, grid: LogicalGrid}} */ (this.#placed);
    const { inset_left_css, inset_top_css, width_css, height_css, left_cells, top_cells, column_css, row_css } = viewport;
    const origin = grid.originOf(grid.planesIn(visibleRange(viewport))[0] ?? 0);
    if (dim === grid.order.at(-1)) {
      const first_css = inset_left_css + (origin.column - left_cells) * column_css;
      return { first_css, cell_css: column_css, least_css: inset_left_css, most_css: width_css - GRIP_CSS };
    }
    if (dim === grid.order.at(-2)) {
      const first_css = inset_top_css + (origin.row - top_cells) * row_css;
      return { first_css, cell_css: row_css, least_css: inset_top_css, most_css: height_css - GRIP_CSS };
    }
    return { first_css: OUTER_ROOM_CSS, cell_css: OUTER_CSS / size, least_css: OUTER_ROOM_CSS, most_css: OUTER_ROOM_CSS + OUTER_CSS };
  }
}

customElements.define('slice-grips', SliceGrips);
