import { textLength } from '../../draw/cell-text.js';
import { textFor } from '../../state/answers.js';
import { ExplorerPart, find } from './part.js';
import { Stage } from './stage.js';
import { GridTable } from './table/grid-table.js';
import { watchZoomButtons } from './zoom-buttons.js';

/** @import { StageHost } from './stage.js' */

/** Base class of the grids of the explorer: a canvas with its zoom, its table and its notice. */
export class GridPart extends ExplorerPart {
  /** @type {GridTable | null} */
  #table = null;

  /**
   * Begins to draw.
   * @param {string} name begins the ids of the table's cells
   * @param {Omit<StageHost, 'characters'>} shown
   * @param {() => import('./table/sources.js').TableSource | null} source of the table
   * @returns {Stage}
   */
  open(name, shown, source) {
    const host = { ...shown, characters: () => this.#characters() };
    const stage = new Stage(find(this, 'canvas', HTMLCanvasElement), host, this.signal);
    watchZoomButtons(this, stage);
    const table = new GridTable(this, { name, stage, host, source }, this.signal);
    this.#table = table;
    this.when(['selected', 'restored'], () => table.choose());
    return stage;
  }

  get text() {
    return /** @type {import('../../draw/types.js').CellText} */ (textFor(this.session));
  }

  /** @returns {number} characters of the longest text of a cell */
  #characters() {
    const tensor = this.session.answers[this.side]?.memory.tensor;
    return tensor ? textLength(tensor, this.text, this.session.valuesFor(tensor)) : 1;
  }

  /**
   * Names the grid, and says what it shows, or why it shows nothing.
   * @param {string} label
   * @param {string} about
   * @param {string} notice
   */
  entitle(label, about, notice) {
    this.say('.about', about);
    this.#table?.label(label);
    this.say('.notice', notice);
    find(this, '.notice', HTMLElement).hidden = notice === '';
  }
}
