/** @typedef {import('../../core/types.js').DescriptionJson} DescriptionJson */
/** @typedef {import('../../core/types.js').Tensor} Tensor */
/** @typedef {import('../../core/types.js').Viewport} Viewport */
/** @typedef {import('../../draw/types.js').CellText} CellText */
import { createLogicalGrid } from '../../core/grid/logical.js';
import { addressOfCell, memoryExtent } from '../../core/grid/memory.js';
import { rowLengthOf } from '../../core/grid/row-length.js';
import { cellAt, createViewport, fit } from '../../core/grid/viewport.js';
import { createTensor } from '../../core/layout/tensor.js';
import { defaultTheme } from '../../core/palette.js';
import { logicalInsets } from '../../draw/logical-edges.js';
import { drawLogical } from '../../draw/logical-grid.js';
import { drawMemory, memoryInsets } from '../../draw/memory-grid.js';
import { createPainter } from '../../draw/painter.js';

const STYLE = `
:host { display: block; font: 13px system-ui, sans-serif; color: light-dark(#17191c, #e8eaed); background: light-dark(#fbfbfa, #14171a); }
:host([theme="light"]), :host([theme="print"]) { color-scheme: light; } :host([theme="dark"]) { color-scheme: dark; }
canvas { display: block; width: 100%; outline-offset: -2px; touch-action: pan-y; }
p { margin: 0; padding: 4px 12px; min-height: 1.4em; font: 12px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
`;
const ASPECT = 2.6;
const WIDEST_CELL_CSS = 32;
const HIGHEST_CSS = 420;
const MARGIN_CSS = 8;
/** The names of the explorer's link that say which tensor. */
const ASKED = Object.freeze(['shape', 'layout', 'strides', 'offset', 'dtype', 'dims', 'elements']);
/** @type {Readonly<Record<string, readonly [number, number]>>} places of the logical grid, columns and rows */
const KEYS = Object.freeze({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });

/**
 * @typedef {DescriptionJson & {dtype: string, buffer: {bytes: import('../../core/types.js').Integer}}} Described
 *
 * @typedef {object} Drawing one grid
 * @property {HTMLCanvasElement} canvas
 * @property {Viewport} viewport
 * @property {(cell: import('../../core/types.js').Cell) => readonly number[] | null} coordsAt
 * @property {(context: CanvasRenderingContext2D) => void} draw
 */

/**
 * The two grids of a tensor, with the cell under the pointer lit in both: for pages of others, and for notebooks.
 *
 * Its tensor is the description in a script of type application/json inside it, or what the service that it came
 * from says of the attributes (shape, layout, strides, offset, dtype, dims, elements). The attributes colour, text,
 * row, view, theme and at are those of the explorer's link.
 */
export class MemoryGrid extends HTMLElement {
  /** @type {readonly Drawing[]} */
  #grids = Object.freeze([]);
  /** @type {Tensor | null} */
  #tensor = null;
  /** @type {{name: string, bits: number}} */
  #dtype = { name: 'float32', bits: 32 };
  /** @type {readonly number[] | null} */
  #selected = null;
  /** @type {readonly number[] | null} */
  #hovered = null;
  #line = document.createElement('p');
  /** @type {AbortController | null} */
  #life = null;

  connectedCallback() {
    const life = new AbortController();
    this.#life = life;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#line.setAttribute('role', 'status');
    const { signal } = life;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw(), { signal });
    const observer = new ResizeObserver(() => this.#lay());
    observer.observe(this);
    signal.addEventListener('abort', () => observer.disconnect());
    this.#describe(signal).then((description) => this.#show(description), (error) => this.#refuse(error));
  }

  disconnectedCallback() {
    this.#life?.abort();
  }

  /** @param {string} name */
  #said(name) {
    return this.getAttribute(name) ?? '';
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Described>}
   */
  async #describe(signal) {
    const own = this.querySelector('script[type="application/json"]')?.textContent;
    if (own) return JSON.parse(own);
    const query = new URLSearchParams(ASKED.flatMap((name) => (this.hasAttribute(name) ? [[name, this.#said(name)]] : [])));
    const answer = await fetch(new URL(`/api/v1/describe?${query}`, import.meta.url), { signal });
    const found = await answer.json();
    if (!answer.ok) throw new RangeError(found.errors?.[0]?.message ?? found.detail);
    return found;
  }

  /** @param {Described} description */
  #show(description) {
    const { bytes, elements } = description.buffer;
    this.#dtype = { name: description.dtype, bits: Math.max(1, Math.round((8 * Number(bytes)) / Math.max(1, Number(elements)))) };
    const tensor = createTensor(description);
    this.#tensor = tensor;
    const at = this.#said('at').split(',').map(Number);
    const inside = at.length === tensor.shape.length && at.every((index, dim) => Number.isInteger(index) && index >= 0 && index < tensor.shape[dim]);
    this.#selected = this.hasAttribute('at') && inside ? at : null;
    this.#lay();
  }

  /** @param {unknown} error */
  #refuse(error) {
    if (this.#life?.signal.aborted) return;
    this.#line.textContent = error instanceof Error ? error.message : String(error);
    this.shadowRoot?.replaceChildren(this.#line);
    this.#told();
  }

  /** Makes the canvases for the width there is. */
  #lay() {
    const tensor = this.#tensor;
    const width_css = this.clientWidth;
    if (tensor === null || width_css === 0) return;
    const view = this.#said('view') || 'both';
    const wish = this.#said('row');
    const rowLength = rowLengthOf(tensor, wish === 'line' ? wish : Number(wish) || 'auto', this.#dtype.bits);
    const logical = createLogicalGrid(tensor, ASPECT);
    /** @param {{columns: number, rows: number}} size @param {{label_left_css: number, label_top_css: number}} insets */
    const place = (size, insets) => {
      const side_css = Math.min((width_css - insets.label_left_css - MARGIN_CSS) / size.columns, WIDEST_CELL_CSS, Math.max(1, HIGHEST_CSS / size.rows));
      const height_css = Math.ceil(Math.max(24, side_css * size.rows) + insets.label_top_css + MARGIN_CSS);
      const wide_css = Math.min(width_css, Math.ceil(side_css * size.columns) + insets.label_left_css + MARGIN_CSS);
      return fit(createViewport({ width_css: Math.max(wide_css, insets.label_left_css + 32), height_css, columns: size.columns, rows: size.rows, ...insets }));
    };
    const painter = () => createPainter({ tensor, theme: this.#theme(), colour: this.#said('colour') || 'auto', values: null, slice: null });
    const shared = () => ({
      painter: painter(), text: /** @type {CellText} */ (this.#said('text') || 'auto'), values: null, selected: this.#selected, hovered: this.#hovered, pixelRatio: devicePixelRatio,
    });
    /** @type {Drawing[]} */
    const grids = [];
    if (view !== 'memory') {
      const viewport = place(logical, logicalInsets(tensor, true));
      grids.push({
        canvas: canvasOf('Logical tensor', viewport), viewport, coordsAt: ({ column, row }) => logical.coordsAt(column, row),
        draw: (context) => drawLogical(context, { ...shared(), viewport, grid: logical }),
      });
    }
    if (view !== 'logical') {
      const viewport = place(memoryExtent(tensor, rowLength), memoryInsets(tensor));
      grids.push({
        canvas: canvasOf('Memory', viewport), viewport,
        coordsAt: (cell) => tensor.ownerOf(addressOfCell(cell, rowLength)).coords,
        draw: (context) => drawMemory(context, { ...shared(), viewport, rowLength_elems: rowLength, itemsize_bits: this.#dtype.bits, cursor: null }),
      });
    }
    this.#grids = grids;
    this.shadowRoot?.replaceChildren(...grids.map(({ canvas }) => canvas), this.#line);
    for (const grid of grids) this.#watch(grid, logical);
    this.#draw();
    this.#told();
  }

  /**
   * @param {Drawing} grid
   * @param {import('../../core/types.js').LogicalGrid} logical
   */
  #watch({ canvas, viewport, coordsAt }, logical) {
    /** @param {PointerEvent} event */
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      const cell = cellAt(viewport, event.clientX - box.left, event.clientY - box.top);
      const coords = cell && coordsAt(cell);
      return coords && this.#tensor?.shape.every((size, dim) => coords[dim] < size) ? coords : null;
    };
    canvas.addEventListener('pointermove', (event) => this.#light(under(event)));
    canvas.addEventListener('pointerleave', () => this.#light(null));
    canvas.addEventListener('click', (event) => this.#choose(under(/** @type {PointerEvent} */ (event))));
    canvas.addEventListener('keydown', (event) => {
      const step = KEYS[event.key];
      if (!step || !this.#tensor || this.#tensor.elements === 0) return;
      event.preventDefault();
      const cell = logical.cellOf(this.#selected ?? this.#tensor.shape.map(() => 0));
      for (let { column, row } = cell; column >= 0 && row >= 0 && column < logical.columns && row < logical.rows; ) {
        [column, row] = [column + step[0], row + step[1]];
        const coords = logical.coordsAt(column, row);
        if (coords) return this.#choose(coords);
      }
    });
  }

  /** @param {readonly number[] | null} coords */
  #light(coords) {
    if (String(coords) === String(this.#hovered)) return;
    this.#hovered = coords;
    this.#draw();
  }

  /** @param {readonly number[] | null} coords */
  #choose(coords) {
    this.#selected = coords;
    this.#draw();
  }

  #theme() {
    const said = this.#said('theme');
    return defaultTheme(said === 'dark' || (said === '' && matchMedia('(prefers-color-scheme: dark)').matches));
  }

  #draw() {
    const tensor = this.#tensor;
    if (tensor === null) return;
    for (const { canvas, draw } of this.#grids) {
      const context = canvas.getContext('2d');
      if (context) draw(context);
    }
    const lit = this.#hovered ?? this.#selected;
    const sizes = `${tensor.shape.join(' × ') || 'one element'}, ${this.#dtype.name}`;
    const words = lit && `${lit.map((index, dim) => `${tensor.dims[dim].toLowerCase()}=${index}`).join(' ')} lies at address ${tensor.addressOf(lit)}`;
    this.#line.textContent = words ?? sizes;
  }

  /** Tells the page around an iframe how high this is. */
  #told() {
    const { height } = this.getBoundingClientRect();
    if (window !== parent) parent.postMessage({ type: 'stridescope:height', height: Math.ceil(height) }, '*');
    this.dispatchEvent(new CustomEvent('drawn', { detail: { height } }));
  }
}

/**
 * @param {string} label
 * @param {Viewport} viewport
 */
function canvasOf(label, { width_css, height_css }) {
  const canvas = document.createElement('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  canvas.width = Math.round(width_css * devicePixelRatio);
  canvas.height = Math.round(height_css * devicePixelRatio);
  canvas.style.width = `${width_css}px`;
  canvas.style.height = `${height_css}px`;
  return canvas;
}

if (!customElements.get('memory-grid')) customElements.define('memory-grid', MemoryGrid);
