/** @import { DescriptionJson, SliceDim, Tensor, Viewport } from '../../core/types.js' */
/** @import { CellText, Sign } from '../../draw/types.js' */
/** @import { ViewState } from '../../state/types.js' */
/** @import { GridSize } from '../shared/stage.js' */
import { opensOnBlock } from '../../core/grid/blocks.js';
import { createLogicalGrid } from '../../core/grid/logical.js';
import { addressOfCell, cellOfAddress, memoryExtent } from '../../core/grid/memory.js';
import { rowLengthOf } from '../../core/grid/row-length.js';
import { closeUp, fromPlane } from '../../core/grid/shown.js';
import { cellAt, centre, createViewport, fit, reveal } from '../../core/grid/viewport.js';
import { LEAST_BORDERED_CSS, textCell } from '../../core/grid/zoom.js';
import { unitOf } from '../../core/cost/units.js';
import { coordsIn, elementAt } from '../../core/layout/same-memory.js';
import { createTensor } from '../../core/layout/tensor.js';
import { exactText } from '../../core/numbers.js';
import { defaultTheme } from '../../core/palette.js';
import { resolveText, textLength } from '../../draw/cell-text.js';
import { logicalInsets } from '../../draw/logical-edges.js';
import { drawLogical } from '../../draw/logical-grid.js';
import { drawMemory, memoryInsets } from '../../draw/memory-grid.js';
import { createPainters } from '../../draw/view-painter.js';
import { parseCost } from '../../state/cost/link.js';
import { parseView } from '../../state/permalink.js';
import { legendOf } from '../../words/grids/embedded.js';
import { fixCanvas } from '../shared/frame.js';
import { make } from '../shared/part.js';

const STYLE = `
:host { display: block; font: 13px system-ui, sans-serif; color: light-dark(#17191c, #e8eaed); background: light-dark(#fbfbfa, #14171a); }
:host([theme="light"]), :host([theme="print"]) { color-scheme: light; } :host([theme="dark"]) { color-scheme: dark; }
canvas { display: block; vertical-align: top; width: 100%; outline-offset: -2px; touch-action: pan-y; }
div { display: inline-block; max-width: 100%; vertical-align: top; }
h3 { margin: 0; padding: 4px 12px 0; font: 600 12px/16px system-ui, sans-serif; overflow-wrap: anywhere; } h3 span { margin-left: 8px; font-weight: 400; color: light-dark(#54585d, #a5abb1); }
p { margin: 0; padding: 4px 12px; min-height: 1.4em; font: 12px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
p:only-child, .legend { padding-right: 90px; }
.legend { min-height: 1lh; font-family: system-ui, sans-serif; color: light-dark(#54585d, #a5abb1); }
`;
const ASPECT = 2.6;
const WIDEST_CELL_CSS = 32;
const HIGHEST_CSS = 420;
/** Two memories, or one that shows a part of itself: both, or it and what it says, fit into a usual frame. */
const SHARED_HEIGHT_CSS = 180;
const MOST_WIDE = 1.9;
const MARGIN_CSS = 8;
/** The names of the explorer's link, which the service checks. */
const ASKED = Object.freeze([
  'shape', 'layout', 'strides', 'offset', 'dtype', 'dims', 'elements', 'steps', 'slice', 'b-layout',
  'at', 'view', 'colour', 'line', 'page', 'text', 'values', 'theme', 'row',
]);
/** @type {Readonly<Record<string, readonly [number, number]>>} places of the logical grid, columns and rows */
const KEYS = Object.freeze({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });

/**
 * @typedef {DescriptionJson & {dtype: string, layout: string, buffer: {bytes: import('../../core/types.js').Integer}}} Described
 * @typedef {{memory: Described, tensor: Described | null}} Stored a tensor, and the view that is shown of it
 * @typedef {Stored & {other: Stored | null, slice: SliceDim[] | null, values: (number | string)[] | null}} Drawn other: the
 *   second layout; values: of the elements of both, what JSON has no number for as text
 *
 * @typedef {{tensor: Tensor, memory: Tensor, layout: string}} Shown tensor: the view, or the memory's own
 *
 * @typedef {object} Drawing one grid
 * @property {HTMLElement} head what it shows
 * @property {HTMLCanvasElement} canvas
 * @property {Viewport} viewport
 * @property {(cell: import('../../core/types.js').Cell) => readonly number[] | null} coordsAt
 * @property {(coords: readonly number[]) => import('../../core/types.js').Cell} cellOf
 * @property {(context: CanvasRenderingContext2D, viewport: Viewport) => Set<Sign>} draw
 */

/**
 * The grids of a tensor, with the cell under the pointer lit in all: for pages of others, and for notebooks.
 *
 * What it draws stands in a script of type application/json inside it, or is what the service that it came from says
 * of its attributes (ASKED), which are those of the explorer's link.
 */
export class MemoryGrid extends HTMLElement {
  /** @type {readonly Drawing[]} */
  #grids = Object.freeze([]);
  /** @type {Shown | null} */
  #shown = null;
  /** @type {Shown | null} the second layout */
  #other = null;
  /** @type {readonly SliceDim[] | null} */
  #slice = null;
  /** @type {import('../../core/types.js').Values | null} */
  #values = null;
  /** @type {{name: string, bits: number}} */
  #dtype = { name: 'float32', bits: 32 };
  /** @type {readonly number[] | null} */
  #selected = null;
  /** @type {readonly number[] | null} */
  #hovered = null;
  /** @type {WeakMap<Shown, {dark: boolean, painters: import('../../draw/view-painter.js').Painters}>} */
  #made = new WeakMap();
  #line = make('p', { role: 'status' });
  #legend = make('p', { class: 'legend' });
  /** @type {AbortController | null} */
  #life = null;

  connectedCallback() {
    const { signal } = (this.#life = new AbortController());
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
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

  /** The part of a grid that the explorer showed. @param {'lv' | 'mv' | 'bv'} name */
  #part(name) {
    const view = parseView(this.getAttribute(name));
    return view === 'fit' ? null : view;
  }

  /** @param {AbortSignal} signal @returns {Promise<Drawn>} */
  async #describe(signal) {
    const own = this.querySelector('script[type="application/json"]')?.textContent;
    if (own) return JSON.parse(own);
    if (!this.hasAttribute('shape')) throw new RangeError('A layout alone has no sizes: add them, as in shape="1,64,56,56".');
    const query = new URLSearchParams(ASKED.flatMap((name) => (this.hasAttribute(name) ? [[name, this.#said(name)]] : [])));
    const answer = await fetch(new URL(`/embed.json?${query}`, import.meta.url), { signal });
    const found = await answer.json();
    if (!answer.ok) throw new RangeError(found.error);
    return found;
  }

  /** @param {Drawn} drawn */
  #show({ other, slice, values, ...drawn }) {
    const { dtype, buffer } = drawn.memory;
    this.#dtype = { name: dtype, bits: Math.max(1, Math.round((8 * Number(buffer.bytes)) / Math.max(1, Number(buffer.elements)))) };
    this.#shown = shownOf(drawn);
    this.#other = other && shownOf(other);
    this.#slice = slice;
    this.#values = values && { data: values.map(Number), role: 'data' };
    this.#selected = this.#said('at') ? this.#said('at').split(',').map(Number) : null;
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
    const [shown, other] = [this.#shown, this.#other];
    const width_css = this.clientWidth;
    if (shown === null || width_css === 0) return;
    const view = this.#said('view') || 'both';
    const row = this.#said('row');
    const wish = row === 'line' ? row : Number(row) || 'auto';
    const logical = createLogicalGrid(shown.tensor, ASPECT);
    const text_css = textCell(textLength(shown.memory, this.#text, this.#values));
    /** @param {Shown} one */
    const zoomOf = (one) => this.#part(one === other && this.hasAttribute('bv') ? 'bv' : 'mv');
    // Two memories share the frame: their rows are no longer than texts can be read in, but those of a zoom are the explorer's.
    const most = other ? Math.floor((width_css - memoryInsets(shown.memory).label_left_css - MARGIN_CSS) / text_css) : Infinity;
    /** @param {Shown} one */
    const rowOf = (one) => rowLengthOf(one.memory, wish, this.#dtype.bits, zoomOf(one) ? Infinity : most, { short: other !== null });
    const memories = other ? [shown, other] : [shown];
    const longest = Math.max(...memories.map(rowOf));
    /** @param {Shown} one */
    const sizeOf = (one) => ({ ...memoryExtent(one.memory, rowOf(one)), ...memoryInsets(one.memory) });
    const highest = Math.max(...memories.map((one) => sizeOf(one).rows));
    /** @param {GridSize} size @param {{room_css?: number, highest_css?: number, most_wide?: number}} [limits] */
    const place = (size, { room_css = width_css, highest_css = HIGHEST_CSS, most_wide = 1 } = {}) => {
      const across_css = (room_css - size.label_left_css - MARGIN_CSS) / size.columns;
      const side_css = Math.min(across_css, WIDEST_CELL_CSS, Math.max(1, highest_css / size.rows));
      const column_css = Math.min(across_css, WIDEST_CELL_CSS, side_css * most_wide);
      const height_css = Math.ceil(Math.max(24, side_css * size.rows) + size.label_top_css + MARGIN_CSS);
      const wide_css = Math.min(room_css, Math.ceil(column_css * size.columns) + size.label_left_css + MARGIN_CSS);
      return fit(createViewport({ ...size, width_css: Math.max(wide_css, size.label_left_css + 32), height_css, most_wide }));
    };
    /**
     * Two memories lie beside each other where their cells can be read or are larger so, else below each other.
     * @param {GridSize} size
     */
    const together = ({ label_left_css }) => {
      const half_css = Math.floor(width_css / 2) - MARGIN_CSS;
      const beside_css = (half_css - label_left_css - MARGIN_CSS) / longest;
      const below_css = SHARED_HEIGHT_CSS / highest;
      if (beside_css >= text_css || Math.min(beside_css, HIGHEST_CSS / highest) > below_css) return { room_css: half_css };
      return { highest_css: SHARED_HEIGHT_CSS, most_wide: MOST_WIDE };
    };
    /** In a link with a zoom, its part. @param {ViewState} zoom @param {GridSize} size */
    const placePart = (zoom, size) => {
      const shown_css = Math.min(Math.ceil(zoom.cell_css * size.rows), other ? SHARED_HEIGHT_CSS : HIGHEST_CSS);
      return createViewport({ ...size, width_css, height_css: shown_css + size.label_top_css + MARGIN_CSS, most_wide: MOST_WIDE, ...zoom });
    };
    /** @param {Shown} one */
    const wholeOf = (one) => place(sizeOf(one), other ? together(sizeOf(one)) : {});
    const chosen = this.#selected;
    // Memories whose cells would be too small show those around the chosen one; of two, both do.
    const near = memories.some((one) => wholeOf(one).cell_css < LEAST_BORDERED_CSS);
    /** @param {Shown} one */
    const placeMemory = (one) => {
      const zoom = zoomOf(one);
      const size = sizeOf(one);
      if (zoom) return placePart(zoom, size);
      const whole = wholeOf(one);
      if (!chosen || !near) return whole;
      const height_css = SHARED_HEIGHT_CSS + size.label_top_css + MARGIN_CSS;
      const cell = cellOfAddress(one.tensor.addressOf(chosen), rowOf(one));
      return centre(createViewport({ ...size, width_css, height_css, cell_css: whole.cell_css }), cell, text_css);
    };
    const shared = () => ({ text: this.#text, values: this.#values, pixelRatio: devicePixelRatio });
    /** @type {Drawing[]} */
    const grids = [];
    if (view !== 'memory') {
      const size = { columns: logical.columns, rows: logical.rows, ...logicalInsets(shown.tensor, true) };
      const zoom = this.#part('lv');
      const cell = chosen && logical.cellOf(chosen);
      /** Planes around the chosen cell, of which most would not fit into a frame. */
      const near = () => closeUp(createViewport({ ...size, width_css, height_css: SHARED_HEIGHT_CSS, most_wide: MOST_WIDE }), cell, text_css);
      const opening = () => (this.#opensOnBlock ? fromPlane(near(), cell, logical) : place(size));
      const viewport = zoom ? placePart(zoom, size) : opening();
      grids.push({
        head: headOf('Logical tensor', `${shown.tensor.dims.join(' ').toLowerCase()} · ${sizesOf(shown.tensor)}`),
        canvas: canvasOf('Logical tensor', viewport), viewport, coordsAt: ({ column, row: line }) => logical.coordsAt(column, line), cellOf: logical.cellOf,
        draw: (context, present) => drawLogical(context, { ...shared(), painter: this.#painters(shown).logical, selected: this.#selected, hovered: this.#hovered, viewport: present, grid: logical }),
      });
    }
    for (const one of view === 'logical' ? [] : memories) {
      const { tensor, memory } = one;
      const rowLength_elems = rowOf(one);
      const viewport = placeMemory(one);
      /** @param {readonly number[] | null} coords */
      const stored = (coords) => coords && coordsIn(memory, tensor, coords);
      const name = other ? `Memory ${one === other ? 'B' : 'A'}` : 'Memory';
      grids.push({
        head: headOf(name, `${one.layout} · ${exactText(memory.bufferElements)} addresses`), canvas: canvasOf(name, viewport), viewport,
        coordsAt: (cell) => elementAt(tensor, addressOfCell(cell, rowLength_elems)),
        cellOf: (coords) => cellOfAddress(tensor.addressOf(coords), rowLength_elems),
        draw: (context, present) =>
          drawMemory(context, {
            ...shared(), painter: this.#painters(one).memory, viewport: present, rowLength_elems, itemsize_bits: this.#dtype.bits, cursor: null,
            selected: stored(this.#selected), hovered: stored(this.#hovered), other: one === other ? shown.memory : null,
          }),
      });
    }
    this.#grids = grids;
    const parts = grids.map(({ head, canvas }) => make(other ? 'div' : 'section', {}, [head, canvas]));
    // What is said of a cell stands between the grids; what does not fit into a frame ends with the tensor.
    const long = other !== null || grids.some(({ viewport }) => fit(viewport).cell_css < LEAST_BORDERED_CSS);
    const [first, ...rest] = parts;
    this.shadowRoot?.replaceChildren(this.#legend, ...(view !== 'both' ? [...parts, this.#line] : long ? [...rest, this.#line, first] : [first, this.#line, ...rest]));
    for (const grid of grids) this.#watch(grid, logical);
    this.#draw();
    this.#told();
  }

  get #text() {
    const text = /** @type {CellText} */ (this.#said('text') || 'auto');
    return text === 'auto' && this.#opensOnBlock ? 'coords' : text;
  }

  /** Whether it shows a part and names coordinates, as the explorer's page does. */
  get #opensOnBlock() {
    return !this.#values && this.#shown !== null && opensOnBlock(this.#shown.memory);
  }

  /** @param {Shown} shown */
  #painters(shown) {
    const theme = this.#theme();
    const kept = this.#made.get(shown);
    if (kept?.dark === theme.dark) return kept.painters;
    const colour = this.#said('colour') || 'auto';
    const sizes = parseCost(new URLSearchParams({ line: this.#said('line'), page: this.#said('page') }));
    const unit = unitOf(colour, { ...sizes, itemsize_bits: this.#dtype.bits });
    const painters = createPainters({ ...shown, theme, colour, unit, values: this.#values, slice: this.#slice, like: this.#shown?.memory });
    this.#made.set(shown, { dark: theme.dark, painters });
    return painters;
  }

  /**
   * @param {Drawing} grid
   * @param {import('../../core/types.js').LogicalGrid} logical
   */
  #watch(grid, logical) {
    const { canvas, coordsAt } = grid;
    /** @param {PointerEvent} event */
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      const cell = cellAt(grid.viewport, event.clientX - box.left, event.clientY - box.top);
      const coords = cell && coordsAt(cell);
      return coords && this.#shown?.tensor.shape.every((size, dim) => coords[dim] < size) ? coords : null;
    };
    canvas.addEventListener('pointermove', (event) => this.#light(under(event)));
    canvas.addEventListener('pointerleave', () => this.#light(null));
    canvas.addEventListener('click', (event) => this.#choose(under(/** @type {PointerEvent} */ (event))));
    canvas.addEventListener('keydown', (event) => {
      const step = KEYS[event.key];
      const tensor = this.#shown?.tensor;
      if (!step || !tensor || tensor.elements === 0) return;
      event.preventDefault();
      const cell = logical.cellOf(this.#selected ?? tensor.shape.map(() => 0));
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
    for (const grid of coords ? this.#grids : []) grid.viewport = reveal(grid.viewport, grid.cellOf(coords ?? []));
    this.#draw();
  }

  #theme() {
    const said = this.#said('theme');
    return defaultTheme(said === 'dark' || (said === '' && matchMedia('(prefers-color-scheme: dark)').matches));
  }

  #draw() {
    const tensor = this.#shown?.tensor;
    if (!tensor) return;
    const signs = this.#grids.flatMap(({ canvas, draw, viewport }) => {
      const context = canvas.getContext('2d');
      return context ? [...draw(context, viewport)] : [];
    });
    if (this.#shown) this.#legend.textContent = legendOf(this.#painters(this.#shown).memory, new Set(signs), resolveText(this.#shown.memory, this.#text, this.#values));
    const lit = this.#hovered ?? this.#selected;
    const sizes = `${sizesOf(tensor)}, ${this.#dtype.name}`;
    const other = this.#other?.tensor;
    const where = (/** @type {number[]} */ at) => (other ? `address ${tensor.addressOf(at)} in A and ${other.addressOf(at)} in B` : `address ${tensor.addressOf(at)}`);
    const words = lit && `${lit.map((index, dim) => `${tensor.dims[dim].toLowerCase()}=${index}`).join(' ')} lies at ${where([...lit])}`;
    this.#line.textContent = words ?? sizes;
  }

  /** Tells the page around an iframe how high this is. */
  #told() {
    const { height } = this.getBoundingClientRect();
    if (window !== parent) parent.postMessage({ type: 'stridescope:height', height: Math.ceil(height) }, '*');
    this.dispatchEvent(new CustomEvent('drawn', { detail: { height } }));
  }
}

/** @param {Stored} stored @returns {Shown} */
function shownOf({ memory, tensor }) {
  const whole = createTensor(memory);
  return { memory: whole, tensor: tensor ? createTensor(tensor) : whole, layout: memory.layout };
}

/** @param {Tensor} tensor */
function sizesOf({ shape }) {
  return shape.join(' × ') || 'one element';
}

/** @param {string} name @param {string} about */
function headOf(name, about) {
  return make('h3', {}, [name, make('span', {}, [about])]);
}

/** @param {string} label @param {Viewport} viewport */
function canvasOf(label, viewport) {
  const canvas = make('canvas', { tabindex: '0', role: 'img', 'aria-label': label });
  fixCanvas(canvas, viewport);
  return canvas;
}

if (!customElements.get('memory-grid')) customElements.define('memory-grid', MemoryGrid);
