import { moved } from '../../core/grid/keys.js';
import { blocksCount, createLogicalGrid } from '../../core/grid/logical.js';
import { keptCell } from '../../core/grid/shown.js';
import { LEAST_BORDERED_CSS } from '../../core/grid/zoom.js';
import { logicalInsets } from '../../draw/logical-edges.js';
import { drawLogical } from '../../draw/logical-grid.js';
import { counted, sizesText } from '../../words/numbers.js';
import { opensNear } from '../../state/answers.js';
import { tellDrawn } from '../shared/drawn.js';
import { isNarrow, MOST_WIDE } from '../shared/memories.js';
import { markLogical } from '../shared/marked-cells.js';
import { paintersOf } from '../shared/painters.js';
import { find } from '../shared/part.js';
import { GridPart } from '../shared/grid-part.js';
import { GRIPS, SliceGrips } from '../slice/slice-grips.js';
import { logicalTable } from '../shared/table/sources.js';
import { walkLogical } from '../shared/walk/walked-cells.js';

/** @import { LogicalGrid, Tensor } from '../../core/types.js' */

/** The logical tensor: one H x W grid per image and channel. */
customElements.define('logical-view', class LogicalView extends GridPart {
  /** @type {{tensor: Tensor, grid: LogicalGrid} | null} */
  #shown = null;
  /** A view that was moved, and the grid that the reader saw in it at the last press. @type {{view: object, grid: LogicalGrid} | null} */
  #seen = null;
  #cell_css = 0;

  /** @override */
  start() {
    const { session } = this;
    const stage = this.open('logical', this.#host(), () => this.#source());
    this.when(['answer', 'restored'], () => stage.show(session.state.view.logical));
    this.when(['cell', 'slice', 'values', 'theme', 'display'], () => stage.redraw());
    this.when(['answer', 'problem'], () => {
      const answer = this.session.answers.a;
      const sizes = sizesText(answer?.description.shape ?? []).replaceAll(' ', '\u00a0');
      const steps = answer?.chain?.results.length ?? 0;
      const viewed = steps > 0 ? `   after ${counted(steps, 'view step')}` : '';
      const about = answer ? `${[...answer.description.dims].join(' ')}   ${sizes}${viewed}` : '';
      const empty = answer?.tensor?.elements === 0 ? 'A size of 0: the tensor has no elements.' : null;
      const away = this.session.problems.a.some(({ field }) => field === 'other');
      const why = away ? 'the server does not answer.' : 'a field says what is missing.';
      const unanswered = this.session.problems.a.length > 0 ? `Nothing to draw yet: ${why}` : null;
      this.entitle(`Logical tensor ${about}`, about, answer ? (answer.undrawable ?? empty ?? '') : (unanswered ?? ''));
    });
    this.when('selected', () => {
      // An answer that came just before is measured first.
      if (session.selected && stage.viewport && this.#shown) stage.reveal(this.#shown.grid.cellOf(session.selected));
    });
    this.when('gone', () => {
      const coords = session.gone?.coords;
      if (coords && this.#shown?.tensor.shape.length === coords.length) stage.centre(this.#shown.grid.cellOf(coords));
    });
    for (const type of /** @type {const} */ (['pointerdown', 'keydown'])) this.listen(document, type, () => this.#see());
    this.addEventListener(GRIPS, () => stage.refresh(), { signal: this.signal });
    stage.show(session.state.view.logical);
  }

  #see() {
    const { logical: view } = this.session.state.view;
    this.#seen = view instanceof Object && this.#shown ? { view, grid: this.#shown.grid } : null;
  }

  /** @returns {Omit<import('../shared/stage.js').StageHost, 'characters'>} */
  #host() {
    const { session } = this;
    return {
      apart: true,
      measure: (width_css, height_css) => {
        const tensor = session.answers.a?.tensor;
        if (!tensor || tensor.elements === 0) {
          this.#shown = null;
          return null;
        }
        const grid = createLogicalGrid(tensor, width_css / height_css, blocksCount(tensor, isNarrow()));
        this.#shown = { tensor, grid };
        const { label_left_css, label_top_css } = logicalInsets(tensor, !isNarrow());
        const { room_css } = find(this, 'slice-grips', SliceGrips);
        return { columns: grid.columns, rows: grid.rows, most_wide: MOST_WIDE, label_left_css: label_left_css + room_css, label_top_css: label_top_css + room_css };
      },
      rearranged: (before) => {
        const [seen, now] = [this.#seen, this.#shown];
        return seen && now && seen.view === session.state.view.logical ? keptCell(before, seen.grid, now.grid, session.selected) : null;
      },
      anchor: () => (session.selected && this.#shown ? this.#shown.grid.cellOf(session.selected) : null),
      centred: () => session.centred,
      planes: () => this.#shown?.grid ?? null,
      near: () => opensNear(session),
      draw: (context, viewport, pixelRatio) => {
        const painter = paintersOf(session, 'a')?.logical;
        if (!painter || !this.#shown || painter.tensor !== this.#shown.tensor) return;
        this.#cell_css = viewport.cell_css;
        const signs = drawLogical(context, {
          painter,
          viewport,
          grid: this.#shown.grid,
          text: this.text,
          values: session.valuesInMemory,
          selected: session.selected,
          hovered: session.pointed?.coords ?? null,
          pixelRatio,
        });
        const drawing = { context, viewport, session, side: this.side, signs };
        markLogical(drawing, this.#shown.grid);
        walkLogical(drawing, this.#shown.grid);
        find(this, 'slice-grips', SliceGrips).place(viewport, this.#shown.grid, find(this, 'canvas', HTMLCanvasElement));
        tellDrawn(this, { grid: 'logical', signs, rowLength_elems: 0 });
      },
      hover: (cell) => {
        const coords = cell && this.#coordsAt(cell);
        session.point(coords ? { side: 'a', coords, address: null } : null);
      },
      press: (cell) => {
        const coords = this.#coordsAt(cell);
        if (coords) session.select(coords);
      },
      key: (event) => {
        const shape = this.#shown?.tensor.shape;
        const next = shape && moved(session.selected, shape, this.#shown?.grid.order ?? [], event);
        if (next) session.select(next);
        return Boolean(next);
      },
      moved: (logical) => {
        session.change({ view: Object.freeze({ ...session.state.view, logical }) });
        this.#see();
      },
    };
  }

  /**
   * The element at a place. Where cells are too small to aim at, the spaces between planes are so too.
   * @param {import('../../core/types.js').Cell} cell
   */
  #coordsAt({ column, row }) {
    const small = this.#cell_css < LEAST_BORDERED_CSS;
    return this.#shown?.grid[small ? 'nearestAt' : 'coordsAt'](column, row) ?? null;
  }

  /** @returns {import('../shared/table/sources.js').TableSource | null} */
  #source() {
    const { session } = this;
    const memory = session.answers.a?.memory.tensor;
    if (!memory || !this.#shown || this.#shown.tensor !== session.answers.a?.tensor) return null;
    const { tensor, grid } = this.#shown;
    const b = session.answers.b?.tensor;
    return logicalTable({ tensor, memory, values: session.valuesInMemory, other: b ? { name: 'B', tensor: b } : null }, grid);
  }
});
