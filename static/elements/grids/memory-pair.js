import { blocksCount, createLogicalGrid } from '../../core/grid/logical.js';
import { fairShare } from '../../core/grid/share.js';
import { READING_CELL_CSS } from '../../core/grid/viewport.js';
import { logicalInsets } from '../../draw/logical-edges.js';
import { createFrame, watchSize } from '../shared/frame.js';
import { isNarrow, memorySize } from '../shared/memories.js';
import { ExplorerPart, find } from '../shared/part.js';
import { GRIPS, SliceGrips } from '../slice/slice-grips.js';

/** The line above a canvas and the margin below it. */
const BAR_CSS = 52;
const MARGIN_CSS = 8;
/** What a memory above another gets at least, unless all of its cells can be told apart in less. */
const LEAST_CSS = 120;
const SMALL_CELL_CSS = 12;
const SIDES = /** @type {const} */ (['a', 'b']);

/**
 * The memories of A and B, side by side or stacked, whichever gives the larger cells. It also divides
 * the height between them and the logical tensor.
 */
customElements.define('memory-pair', class MemoryPair extends ExplorerPart {
  /** @override */
  start() {
    const frame = createFrame(() => this.#arrange(), this.signal);
    const parent = /** @type {HTMLElement} */ (this.parentElement);
    watchSize([this, find(parent, 'logical-view .bar', HTMLElement)], frame, this.signal);
    this.listen(parent, GRIPS, frame);
    this.when(['answer', 'rows'], frame);
  }

  #arrange() {
    const tensor = this.session.answers.a?.tensor;
    const grids = SIDES.flatMap((side) => memorySize(this.session, side) ?? []);
    if (!tensor || grids.length === 0 || !this.parentElement) return;
    const uppers = find(this.parentElement, '.uppers', HTMLElement);
    const { clientWidth: width_css } = this;
    if (width_css === 0) return; // hidden behind a picture
    const { clientWidth: logical_css } = find(uppers, 'logical-view', HTMLElement);
    const alone = logical_css === 0;
    // Beside the result of a slice the logical tensor's bar takes several lines.
    const grips = find(uppers, 'slice-grips', SliceGrips);
    const bar_css = Math.max(BAR_CSS, find(uppers, 'logical-view .bar', HTMLElement).offsetHeight + MARGIN_CSS) + grips.offsetHeight + grips.room_css;
    /** @param {number} height_css */
    const upper = (height_css) => {
      const down_css = Math.max(1, height_css - bar_css);
      return cellOf({ ...createLogicalGrid(tensor, logical_css / down_css, blocksCount(tensor, isNarrow())), ...logicalInsets(tensor, !isNarrow()) }, logical_css, down_css);
    };
    /** @param {number} across_css @param {number} down_css */
    const smallest = (across_css, down_css) =>
      Math.min(READING_CELL_CSS, ...grids.map((grid) => cellOf(grid, across_css, down_css - BAR_CSS)));
    /** @param {number} height_css */
    const beside = (height_css) => smallest(width_css / grids.length, height_css);
    /** @param {number} height_css */
    const stacked = (height_css) => smallest(width_css, height_css / grids.length);
    const height_css = this.clientHeight + uppers.clientHeight;
    const share = alone ? 0 : fairShare(height_css, upper, (own) => Math.max(beside(own), stacked(own)), READING_CELL_CSS);
    uppers.style.flexGrow = String(share);
    this.style.flexGrow = String(1 - share);
    const own_css = this.closest('.own-upper') ? this.clientHeight : (1 - share) * height_css;
    // One above the other leaves a low window nothing but bars.
    const room = isNarrow() || own_css / 2 - BAR_CSS > LEAST_CSS || stacked(own_css) > SMALL_CELL_CSS;
    this.classList.toggle('stacked', grids.length === 2 && room && stacked(own_css) > beside(own_css));
  }
});

/**
 * @param {import('../shared/stage.js').GridSize} grid
 * @param {number} width_css
 * @param {number} height_css
 * @returns {number} side of a cell when all of them show
 */
function cellOf({ columns, rows, label_left_css, label_top_css }, width_css, height_css) {
  return Math.min((width_css - label_left_css) / columns, Math.max(1, height_css - label_top_css) / rows);
}
