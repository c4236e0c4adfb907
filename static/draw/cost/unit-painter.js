/** @import { Painter, Theme, Viewport } from '../types.js' */
/** @import { Unit } from '../../core/cost/units.js' */
/** @import { Cell } from '../../core/types.js' */
import { rectOf, visibleRange } from '../../core/grid/viewport.js';
import { isBroadcast } from '../../core/layout/digits.js';
import { SHARED } from '../../core/layout/kinds.js';
import { CATEGORIES, fromWord, inkOn, paletteOf, SHADES, toCss } from '../../core/palette.js';
import { rowMajorWeights } from '../../core/shape.js';
import { insideCells } from '../marks.js';

const FIRST_MASK = 3;
/** Banks beyond the number of colours have other shades of them. */
const SHADES_OF_BANKS = Object.freeze([128, 40, 230, 84]);
/** Below it, bit operators are exact. */
const MOST_MASKED = 2 ** 31;
const MIDDLE = SHADES >> 1;
const LEAST_EDGED_CSS = 7;

/**
 * The painter of elements by what memory moves or serves together: neighbouring units differ in colour.
 * @param {Painter} stored the painter of the tensor that fills the memory
 * @param {Unit} unit
 * @returns {Painter}
 */
export function createUnitPainter(stored, unit) {
  const { tensor, theme, decoder, faded: FADED, vacantWord, isMember } = stored;
  const { shape, digits, offset, swizzle } = tensor;
  const palette = paletteOf('categories', theme);
  // Where each dimension has one stride, the sum that the drawing makes of the coordinates is the address.
  const plain = swizzle === null && digits.every((list) => list.length === 1);
  const light = plain ? digits.map(([{ stride }]) => stride) : rowMajorWeights(shape);
  const addressAt = plain
    ? (/** @type {number} */ sum) => offset + sum
    : (/** @type {number} */ sum) => tensor.addressOf(tensor.coordsOf(sum));
  const masks = stored.masks.filter(({ dim }) => !isBroadcast(digits[dim]));
  const outside = stored.masks.length === 0 ? new Set() : new Set(palette.subarray(FADED));

  // The colours repeat after so many units: a power of two.
  const cycle = unit.banks > 0 ? unit.banks : CATEGORIES;
  const words = Uint32Array.from({ length: 2 * cycle }, (_, at) => palette[(at < cycle ? 0 : FADED) + entryOf(at % cycle)]);
  const { placeOf, of } = unit;

  /** @param {number} place @param {number} faded */
  function wordIn(place, faded) {
    const at = place < MOST_MASKED ? place & (cycle - 1) : place % cycle;
    return words[faded === 0 ? at : cycle + at];
  }

  /** @param {number} address @param {number} faded */
  const wordFor = (address, faded) => wordIn(placeOf(address), faded);

  /** @type {Painter['paintAddresses']} */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    let met = 0;
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const { kind, kinds, tables, bases, start, end: last } = decoder.locate(here, (count - done) * step, step);
      const end = Math.max(done + 1, Math.min(count, Math.ceil((last - address) / step)));
      if (kind >= 0) {
        met |= 1 << kind;
        for (; done < end; done += 1) out[at + done] = vacantWord(kind, done + y_px, patterned);
        continue;
      }
      // Addresses ascend: the same unit is looked for once.
      let word = 0;
      let until = -1;
      let pale = 0;
      for (; done < end; done += 1) {
        const there = Math.floor(address + done * step);
        const entry = there - start;
        const entryKind = kinds[entry];
        if (entryKind > SHARED) {
          met |= 1 << entryKind;
          out[at + done] = vacantWord(entryKind, done + y_px, patterned);
          continue;
        }
        let faded = 0;
        for (let mask = 0; mask < masks.length; mask += 1) {
          const table = FIRST_MASK + mask;
          if (!masks[mask].inside(bases[table] + tables[table][entry])) faded = FADED;
        }
        if (there >= until || faded !== pale) {
          const place = placeOf(there);
          word = wordIn(place, faded);
          until = of > 1 ? (place + 1) * of : 0;
          pale = faded;
        }
        out[at + done] = word;
      }
    }
    return met;
  }

  /** @type {Painter['wordOf']} */
  const wordOf = (coords, faded) => wordFor(tensor.addressOf(coords), faded);
  return Object.freeze({
    ...stored,
    unit,
    plan: Object.freeze({ ...stored.plan, scale: /** @type {const} */ ('categories'), shades: null, range: null }),
    palette,
    hue: shape.map(() => 0),
    light,
    wordAt: (_hueSum, sum, faded) => wordFor(addressAt(sum), faded),
    paintRun: (sums, places, members, out, at, from, end) => {
      for (let x = from; x < end; x += 1) {
        const faded = sums.inside && members[x] === 1 ? 0 : FADED;
        out[at + x] = wordFor(addressAt(sums.light + places[x] * sums.lightStep), faded);
      }
    },
    wordOf,
    cell: (coords) => {
      const rgb = fromWord(wordOf(coords, isMember(coords) ? 0 : FADED));
      return { fill: toCss(rgb), ink: toCss(inkOn(rgb)) };
    },
    outline: (word) => (outside.has(word) ? null : stored.outline(word)),
    paintAddresses,
  });
}

/** @param {number} index below the cycle @returns {number} place in the palette */
function entryOf(index) {
  const shade = index < CATEGORIES ? MIDDLE : SHADES_OF_BANKS[Math.floor(index / CATEGORIES) % SHADES_OF_BANKS.length];
  return (index % CATEGORIES) * SHADES + shade;
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
