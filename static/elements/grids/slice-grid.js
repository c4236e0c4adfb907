import { MOST_OFFSETS } from '../../api/client.js';
import { createLogicalGrid } from '../../core/grid/logical.js';
import { logicalInsets } from '../../draw/logical-edges.js';
import { drawLogical } from '../../draw/logical-grid.js';
import { drawNumbers } from '../../draw/overlays.js';
import { createSlicePainter } from '../../draw/view-painter.js';
import { exactText, sizesText } from '../../words/numbers.js';
import { takenOf } from '../shared/marked-cells.js';
import { paintersOf } from '../shared/painters.js';
import { GridPart } from '../shared/grid-part.js';
import { logicalTable } from '../shared/table/sources.js';
import { moved } from '../../core/grid/keys.js';

/** @import { LogicalGrid } from '../../core/types.js' */
/** @import { Taken } from '../shared/marked-cells.js' */
/** @import { Painter } from '../../draw/types.js' */

/** The result of the slice as a grid of its own, numbered by the order in memory. */
customElements.define('slice-grid', class SliceGrid extends GridPart {
  /** @type {{taken: Taken, grid: LogicalGrid} | null} */
  #shown = null;
  /** @type {{source: Painter, taken: Taken, painter: Painter} | null} */
  #painted = null;

  /** @override */
  start() {
    const stage = this.open('slice', this.#host(), () => this.#source());
    this.press('.clear', () => this.session.edit('a', { slice: '' }, 'push'));
    const show = () => {
      this.#label();
      stage.show(null);
    };
    this.when('slice', show);
    // Its place stays while the slice of another tensor is awaited.
    this.when('answer', () => this.session.sliced && show());
    this.when(['cell', 'values', 'theme', 'display'], () => stage.redraw());
    this.when('selected', () => {
      const there = this.#inResult(this.session.selected);
      if (there && stage.viewport && this.#shown) stage.reveal(this.#shown.grid.cellOf(there));
    });
  }

  /**
   * @param {readonly number[] | null | undefined} coords of the sliced tensor
   * @returns {number[] | null} of the result
   */
  #inResult(coords) {
    const taken = this.#shown?.taken;
    if (!coords || !taken || coords.length !== taken.toSource([]).length) return null;
    return taken.fromSource(coords);
  }

  /** @returns {Omit<import('../shared/stage.js').StageHost, 'characters'>} */
  #host() {
    const { session } = this;
    return {
      measure: (width_css, height_css) => {
        const taken = takenOf(session, 'a');
        this.#shown = null;
        if (!taken || taken.tensor.elements === 0) return null;
        const grid = createLogicalGrid(taken.tensor, width_css / height_css);
        this.#shown = { taken, grid };
        return { columns: grid.columns, rows: grid.rows, ...logicalInsets(taken.tensor, true) };
      },
      anchor: () => {
        const there = this.#inResult(session.selected);
        return there && this.#shown ? this.#shown.grid.cellOf(there) : null;
      },
      draw: (context, viewport, pixelRatio) => {
        const painter = this.#painter();
        if (!painter || !this.#shown) return;
        const { taken, grid } = this.#shown;
        drawLogical(context, {
          painter,
          viewport,
          grid,
          text: this.text,
          values: session.valuesInMemory,
          selected: this.#inResult(session.selected),
          hovered: this.#inResult(session.pointed?.coords),
          pixelRatio,
        });
        const { orderAt } = taken;
        if (!orderAt) return;
        drawNumbers(context, viewport, session.theme, ({ column, row }) => {
          const coords = grid.coordsAt(column, row);
          return coords && 1 + orderAt(taken.tensor.addressOf(coords));
        });
      },
      hover: (cell) => {
        const coords = cell && this.#shown?.grid.coordsAt(cell.column, cell.row);
        session.point(coords && this.#shown ? { side: 'a', coords: this.#shown.taken.toSource(coords), address: null } : null);
      },
      press: (cell) => {
        const coords = this.#shown?.grid.coordsAt(cell.column, cell.row);
        if (coords && this.#shown) session.select(this.#shown.taken.toSource(coords));
      },
      key: (event) => {
        if (!this.#shown) return false;
        const { taken, grid } = this.#shown;
        const next = moved(this.#inResult(session.selected), taken.tensor.shape, grid.order, event);
        if (next) session.select(taken.toSource(next));
        return next !== null;
      },
      moved: () => {},
    };
  }

  /** @returns {import('../shared/table/sources.js').TableSource | null} */
  #source() {
    const memory = this.session.answers.a?.memory.tensor;
    if (!memory || !this.#shown || takenOf(this.session, 'a') !== this.#shown.taken) return null;
    const { taken, grid } = this.#shown;
    return logicalTable({ tensor: taken.tensor, memory, values: this.session.valuesInMemory }, grid);
  }

  #painter() {
    const source = paintersOf(this.session, 'a')?.logical;
    const taken = this.#shown?.taken;
    if (!source || !taken || takenOf(this.session, 'a') !== taken) return null;
    if (this.#painted?.source !== source || this.#painted.taken !== taken) {
      this.#painted = { source, taken, painter: createSlicePainter(source, taken) };
    }
    return this.#painted.painter;
  }

  #label() {
    const { sliced } = this.session;
    const taken = takenOf(this.session, 'a');
    this.hidden = !sliced || !taken;
    if (!sliced || !taken) return;
    const sizes = sizesText(sliced.shape);
    const empty = taken.tensor.elements === 0;
    this.entitle(`Result of the slice, ${sizes}`, sizes, empty ? 'The slice takes no element: a size of the result is 0.' : '');
    const said = taken.orderAt
      ? 'In large cells a small number gives the order in memory. In the other grids it gives the order in this result.'
      : `Over ${exactText(MOST_OFFSETS)} elements: their order in memory is not numbered here.`;
    this.say('.order', empty ? '' : said);
  }
});
