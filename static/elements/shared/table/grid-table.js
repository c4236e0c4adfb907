import { visibleRange } from '../../../core/grid/viewport.js';
import { holdsCell, windowOf } from '../../../core/grid/window.js';
import { partText } from '../../../words/cells.js';
import { layOver } from '../frame.js';
import { around, find, make } from '../part.js';

/** @import { Cell, CellRange } from '../../../core/types.js' */
/** @import { Stage, StageHost } from '../stage.js' */
/** @import { TableSource } from './sources.js' */

const MOST_CELLS = 240;
const REST_MS = 150;
/** Grids that move together are written one after the other, each in a frame of its own. */
const APART_MS = 34;
const GRIDS = 4;
/** Browsers read the counts and indices of a grid as 32-bit integers. */
const MOST_COUNT = 2 ** 31 - 1;
const UNKNOWN = '-1';

/** What each element with the role "grid" points at. @type {WeakMap<Element, () => Cell | null>} */
const pointing = new WeakMap();

/**
 * Whether the focus is in a grid that tells its chosen cell by itself, as the active one: a live region that
 * said the same would be a second voice.
 */
export function gridSpeaks() {
  const focused = document.activeElement;
  return Boolean(focused && pointing.get(focused)?.());
}

/**
 * The visible cells of a canvas as a table for screen readers. It lies inside the canvas, whose role is
 * "grid"; a button shows it to everybody in place of the drawing. It is written while the grid rests.
 */
export class GridTable {
  #table = make('table', { role: 'rowgroup' });
  /** @type {Map<string, Cell>} by the id of the table's cell */
  #cells = new Map();
  /** @type {readonly unknown[]} */
  #written = [];
  /** @type {CellRange | null} what is written */
  #range = null;
  static #made = 0;
  #rest_ms = REST_MS + APART_MS * (GridTable.#made++ % GRIDS);
  #timer = 0;
  #active = '';
  #counts = { 'aria-rowcount': '0', 'aria-colcount': '0' };

  /**
   * @param {HTMLElement} view with the canvas, the button and the panel
   * @param {{name: string, stage: Stage, host: StageHost, source: () => TableSource | null}} grid name: begins the ids
   * @param {AbortSignal} signal ends it
   */
  constructor(view, grid, signal) {
    this.#grid = grid;
    this.#canvas = find(view, 'canvas', HTMLCanvasElement);
    this.#button = find(view, '[data-table]', HTMLButtonElement);
    this.#panel = find(view, '.as-table', HTMLElement);
    this.#canvas.append(this.#table);
    for (const owner of [this.#canvas, this.#table]) pointing.set(owner, () => grid.host.anchor());
    grid.stage.told.push(() => {
      if (this.shown) layOver(this.#panel, this.#canvas);
      this.#wait();
    });
    signal.addEventListener('abort', () => {
      if (this.shown) this.#toggle();
      this.#table.remove();
      clearTimeout(this.#timer);
    });
    this.#button.addEventListener('click', () => this.#toggle(), { signal });
    this.#table.addEventListener('keydown', (event) => this.shown && grid.stage.key(event), { signal });
    this.#table.addEventListener('click', (event) => this.#press(event), { signal });
    this.#table.addEventListener('pointerover', (event) => grid.host.hover(this.#cellOf(event)), { signal });
    this.#table.addEventListener('pointerleave', () => grid.host.hover(null), { signal });
  }

  #grid;
  #canvas;
  #button;
  #panel;

  /** Whether the table is on screen. */
  get shown() {
    return !this.#panel.hidden;
  }

  /** The chosen cell has changed: where the table has it, its readers hear it at once. */
  choose() {
    this.#mark();
    this.#wait();
  }

  /** The grid's name has changed. @param {string} label */
  label(label) {
    this.#canvas.setAttribute('aria-label', label);
    if (this.shown) this.#table.setAttribute('aria-label', label);
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#write(), this.#rest_ms);
  }

  /** The element with the role "grid". @returns {HTMLElement} */
  get #owner() {
    return this.shown ? this.#table : this.#canvas;
  }

  #write() {
    const { stage, host, source: read } = this.#grid;
    const source = read();
    const viewport = source && stage.viewport;
    const seen = viewport && visibleRange(viewport);
    const parts = source && seen ? [...source.of, ...Object.values(seen)] : [];
    const anchor = host.anchor();
    // While the chosen cell stays in the part that is written, so does that part.
    const left = anchor && seen && this.#range && holdsCell(seen, anchor) && !holdsCell(this.#range, anchor);
    const same = !left && parts.length === this.#written.length && parts.every((part, at) => part === this.#written[at]);
    if (!same) {
      this.#written = parts;
      this.#range = seen && windowOf(seen, anchor, MOST_CELLS);
      this.#fill(source, this.#range);
    }
    // A pointer that rests on padding points at it, and chooses nothing.
    if (!same || !this.#owner.matches(':hover')) this.#mark();
  }

  /**
   * @param {TableSource | null} source
   * @param {CellRange | null} range
   */
  #fill(source, range) {
    this.#cells.clear();
    const rows = source && range ? this.#rows(source, range) : [];
    this.#table.replaceChildren(...rows);
    this.#counts = { 'aria-rowcount': countText(source?.rows ?? 0), 'aria-colcount': countText(source?.columns ?? 0) };
    setAll(this.#owner, this.#counts);
    find(this.#panel, 'p', HTMLElement).textContent = source && range ? partOf(source, range) : '';
  }

  /**
   * @param {TableSource} source
   * @param {CellRange} range
   */
  #rows(source, { firstRow, endRow, firstColumn, endColumn }) {
    const rows = [];
    for (let row = firstRow; row < endRow; row += 1) {
      const place = source.rowOf(row);
      if (place === null) continue;
      const cells = [];
      for (let column = firstColumn; column < endColumn; column += 1) {
        const cell = this.#cell(source, { column, row });
        if (cell) cells.push(cell);
      }
      if (cells.length > 0) rows.push(make('tr', { role: 'row', ...indexed('aria-rowindex', place) }, cells));
    }
    return rows;
  }

  /**
   * @param {TableSource} source
   * @param {Cell} cell
   */
  #cell(source, cell) {
    const place = source.columnOf(cell.column);
    const words = place === null ? null : source.wordsAt(cell);
    if (place === null || !words) return null;
    const id = this.#idOf(cell);
    this.#cells.set(id, cell);
    const element = make('td', { role: 'gridcell', id, ...indexed('aria-colindex', place) }, [words.text]);
    element.classList.toggle('vacant', words.vacant);
    return element;
  }

  /** @param {Cell} cell */
  #idOf({ column, row }) {
    return `${this.#grid.name}-${row}-${column}`;
  }

  /** Tells which cell is the chosen one. */
  #mark() {
    const cell = this.#grid.host.anchor();
    const id = cell ? this.#idOf(cell) : '';
    const owner = this.#owner;
    const element = this.#cells.has(id) ? document.getElementById(id) : null;
    this.#table.querySelector('[aria-selected]')?.removeAttribute('aria-selected');
    element?.setAttribute('aria-selected', 'true');
    if (!element) owner.removeAttribute('aria-activedescendant');
    else if (owner.getAttribute('aria-activedescendant') !== id) owner.setAttribute('aria-activedescendant', id);
    if (element && id !== this.#active && document.activeElement === this.#table) element.scrollIntoView({ block: 'nearest' });
    this.#active = element ? id : '';
  }

  /** @param {Event} event */
  #cellOf(event) {
    return this.#cells.get(around(event, 'td')?.id ?? '') ?? null;
  }

  /** @param {Event} event */
  #press(event) {
    const cell = this.#cellOf(event);
    if (!cell) return;
    this.#table.focus({ preventScroll: true });
    this.#grid.host.press(cell);
  }

  #toggle() {
    const before = this.#owner;
    this.#panel.hidden = !this.#panel.hidden;
    this.#button.setAttribute('aria-pressed', String(this.shown));
    for (const name of ['aria-rowcount', 'aria-colcount', 'aria-activedescendant']) before.removeAttribute(name);
    const canvas = this.#canvas;
    if (this.shown) {
      this.#panel.append(this.#table);
      setAll(this.#table, {
        role: 'grid',
        tabindex: '0',
        'aria-label': canvas.getAttribute('aria-label') ?? '',
        'aria-describedby': canvas.getAttribute('aria-describedby') ?? '',
      });
      setAll(canvas, { 'aria-hidden': 'true', tabindex: '-1' });
      layOver(this.#panel, this.#canvas);
    } else {
      canvas.append(this.#table);
      for (const name of ['tabindex', 'aria-label', 'aria-describedby']) this.#table.removeAttribute(name);
      this.#table.setAttribute('role', 'rowgroup');
      canvas.removeAttribute('aria-hidden');
      canvas.setAttribute('tabindex', '0');
    }
    setAll(this.#owner, this.#counts);
    this.#write();
    if (this.shown) this.#table.querySelector('[aria-selected]')?.scrollIntoView({ block: 'nearest' });
  }
}

/** @param {number} count */
function countText(count) {
  return count <= MOST_COUNT ? String(count) : UNKNOWN;
}

/**
 * @param {string} name
 * @param {number} index
 * @returns {Record<string, string>} without an index that browsers cannot read
 */
function indexed(name, index) {
  return index <= MOST_COUNT ? { [name]: String(index) } : {};
}

/**
 * @param {Element} element
 * @param {Record<string, string>} attributes
 */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/**
 * @param {TableSource} source
 * @param {CellRange} range
 */
function partOf(source, { firstRow, endRow, firstColumn, endColumn }) {
  const rows = { ...bounds(firstRow, endRow, source.rowOf), count: source.rows };
  const columns = { ...bounds(firstColumn, endColumn, source.columnOf), count: source.columns };
  return partText(rows, columns);
}

/**
 * @param {number} first
 * @param {number} end
 * @param {(cell: number) => number | null} placeOf
 */
function bounds(first, end, placeOf) {
  const places = Array.from({ length: end - first }, (_, at) => placeOf(first + at)).filter((place) => place !== null);
  return { first: places[0] ?? 1, last: places.at(-1) ?? 0 };
}
