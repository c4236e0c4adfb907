/** @typedef {import('../types.js').Painter} Painter */
/** @typedef {import('../types.js').Theme} Theme */
/** @typedef {import('../types.js').Viewport} Viewport */
/** @typedef {import('../../core/cost/units.js').Unit} Unit */
/** @typedef {import('../../core/types.js').Cell} Cell */
import { rectOf, visibleRange } from '../../core/grid/viewport.js';
import { isBroadcast } from '../../core/layout/digits.js';
import { SHARED } from '../../core/layout/kinds.js';
import { CATEGORIES, fromWord, inkOn, paletteOf, SHADES, toCss } from '../../core/palette.js';
import { rowMajorWeights } from '../../core/shape.js';
import { insideCells } from '../marks.js';

const FIRST_MASK = 3;
/** Banks beyond the number of colours have other shades of them. */
const SHADES_OF_BANKS = Object.freeze([150, 40, 230, 95]);
const MIDDLE = SHADES >> 1;
const LEAST_EDGED_CSS = 7;

/**
 * The painter of elements by what memory moves or serves together: neighbouring units differ in colour.
 * @param {Painter} stored the painter of the tensor that fills the memory
 * @param {Unit} unit
 * @returns {Painter}
 */
export function createUnitPainter(stored, unit) {
  const { tensor, theme, decoder, faded: FADED, isMember } = stored;
  const { shape, digits, offset, swizzle } = tensor;
  const palette = paletteOf('categories', theme);
  // Where each dimension has one stride, the sum that the drawing makes of the coordinates is the address.
  const plain = swizzle === null && digits.every((list) => list.length === 1);
  const light = plain ? digits.map(([{ stride }]) => stride) : rowMajorWeights(shape);
  const addressAt = plain
    ? (/** @type {number} */ sum) => offset + sum
    : (/** @type {number} */ sum) => tensor.addressOf(tensor.coordsOf(sum));
  const masks = stored.masks.filter(({ dim }) => !isBroadcast(digits[dim]));
  const pale = stored.masks.length === 0 ? new Set() : new Set(palette.subarray(FADED));

  /** @param {number} address @param {number} faded */
  function wordFor(address, faded) {
    const index = unit.indexOf(address);
    const shade = unit.banks > 0 ? SHADES_OF_BANKS[Math.floor(index / CATEGORIES) % SHADES_OF_BANKS.length] : MIDDLE;
    return palette[faded + (index % CATEGORIES) * SHADES + shade];
  }

  /** @type {Painter['paintAddresses']} */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    const met = stored.paintAddresses(address, step, count, out, at, y_px, patterned);
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const { kind, kinds, tables, bases, start, end: last } = decoder.locate(here, (count - done) * step, step);
      const end = Math.max(done + 1, Math.min(count, Math.ceil((last - address) / step)));
      if (kind >= 0) {
        done = end;
        continue;
      }
      for (; done < end; done += 1) {
        const place = Math.floor(address + done * step);
        const entry = place - start;
        if (kinds[entry] > SHARED) continue;
        let faded = 0;
        for (let mask = 0; mask < masks.length; mask += 1) {
          const table = FIRST_MASK + mask;
          if (!masks[mask].inside(bases[table] + tables[table][entry])) faded = FADED;
        }
        out[at + done] = wordFor(place, faded);
      }
    }
    return met;
  }

  /** @type {Painter['wordOf']} */
  const wordOf = (coords, faded) => wordFor(tensor.addressOf(coords), faded);
  return Object.freeze({
    ...stored,
    unit,
    plan: Object.freeze({ ...stored.plan, scale: /** @type {const} */ ('categories'), shades: null }),
    palette,
    hue: shape.map(() => 0),
    light,
    wordAt: (_hueSum, sum, faded) => wordFor(addressAt(sum), faded),
    wordOf,
    cell: (coords) => {
      const rgb = fromWord(wordOf(coords, isMember(coords) ? 0 : FADED));
      return { fill: toCss(rgb), ink: toCss(inkOn(rgb)) };
    },
    outline: (word) => (pale.has(word) ? null : stored.outline(word)),
    paintAddresses,
  });
}

/**
 * Lines where another unit begins, on the left edges of its first cells.
 * @param {CanvasRenderingContext2D} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {Unit} unit
 * @param {(cell: Cell) => number | null} addressAt
 * @returns {boolean} whether there is a line
 */
export function drawUnitEdges(context, viewport, theme, unit, addressAt) {
  if (viewport.cell_css < LEAST_EDGED_CSS) return false;
  const { firstColumn, endColumn, firstRow, endRow } = visibleRange(viewport);
  let edged = false;
  insideCells(
    context,
    viewport,
    () => {
      for (let row = firstRow; row < endRow; row += 1) {
        for (let column = firstColumn; column < endColumn; column += 1) {
          const address = addressAt({ column, row });
          if (address === null || !unit.begins(address)) continue;
          const { x_css, y_css, size_css } = rectOf(viewport, { column, row });
          context.fillStyle = theme.background;
          context.fillRect(x_css - 2.5, y_css - 1, 4, size_css);
          context.fillStyle = theme.text;
          context.fillRect(x_css - 1.5, y_css - 1, 2, size_css);
          edged = true;
        }
      }
    },
    2,
  );
  return edged;
}
