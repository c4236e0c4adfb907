/** @import { Painter, PainterOptions, Tensor, SliceDim } from './types.js' */
/** @import { Unit } from '../core/cost/units.js' */
/** @import { Picked } from '../core/layout/picked.js' */
import { isBroadcast } from '../core/layout/digits.js';
import { SHARED, UNVIEWED } from '../core/layout/kinds.js';
import { coordsIn } from '../core/layout/same-memory.js';
import { fromWord, inkOn, toCss } from '../core/palette.js';
import { createRowDecoder } from '../core/rows/decoder.js';
import { rowMajorWeights } from '../core/shape.js';
import { createUnitPainter } from './cost/unit-painter.js';
import { createPainter, isInside, masksOf } from './painter.js';

/**
 * The colours that the elements have in the memory, by address.
 * @param {Painter} stored the painter of the tensor that fills the memory
 * @returns {(address: number, faded: number) => number} RGBA word; 0 where no element lies
 */
function wordsOf(stored) {
  const decoder = createRowDecoder(stored.tensor, [stored.hue, stored.light]);
  /** @type {import('../core/rows/decoder.js').Segment | null} */
  let segment = null;
  return (address, faded) => {
    if (segment === null || address < segment.start || address >= segment.end) segment = decoder.locate(address, 1);
    if (segment.kind >= 0) return 0;
    const { bases, tables, kinds } = segment;
    const entry = address - segment.start;
    if (kinds[entry] > SHARED) return 0;
    return stored.wordAt(bases[0] + tables[0][entry], bases[1] + tables[1][entry], faded);
  };
}

/**
 * The painter of a view: each element looks as in the memory that the view shares.
 * @param {Painter} stored the painter of the tensor that fills the memory
 * @param {Tensor} tensor the view
 * @param {readonly SliceDim[] | null} slice of the view
 * @returns {Painter}
 */
export function createViewPainter(stored, tensor, slice) {
  const { shape, digits, offset, swizzle } = tensor;
  const wordOf = wordsOf(stored);
  // Where each dimension has one stride, the sum that the drawing makes of the coordinates is the address.
  const plain = swizzle === null && digits.every((list) => list.length === 1);
  const light = plain ? digits.map(([{ stride }]) => stride) : rowMajorWeights(shape);
  const addressAt = plain
    ? (/** @type {number} */ sum) => offset + sum
    : (/** @type {number} */ sum) => tensor.addressOf(tensor.coordsOf(sum));
  const masks = masksOf(shape, slice);
  const isMember = (/** @type {readonly number[]} */ coords) => isInside(masks, coords);

  /** @type {Painter['wordAt']} */
  const wordAt = (_hueSum, sum, faded) => wordOf(addressAt(sum), faded);
  /** @type {Painter['paintRun']} */
  const paintRun = (sums, places, members, out, at, from, end) => {
    for (let x = from; x < end; x += 1) {
      out[at + x] = wordAt(0, sums.light + places[x] * sums.lightStep, sums.inside && members[x] === 1 ? 0 : stored.faded);
    }
  };
  /** @type {Painter['wordOf']} */
  const wordThere = (coords, faded) => wordOf(tensor.addressOf(coords), faded);
  return Object.freeze({
    ...stored,
    tensor,
    hue: shape.map(() => 0),
    light,
    masks,
    isMember,
    wordAt,
    paintRun,
    wordOf: wordThere,
    cell: (coords) => cellOf(wordThere(coords, isMember(coords) ? 0 : stored.faded)),
    textOf(text, values, room) {
      const textThere = stored.textOf(text, values, room);
      return (coords, budget) => {
        const there = coordsIn(stored.tensor, tensor, coords);
        return there === null ? '' : textThere(there, budget);
      };
    },
  });
}

/** @param {number} word */
function cellOf(word) {
  const rgb = fromWord(word);
  return { fill: toCss(rgb), ink: toCss(inkOn(rgb)) };
}

/**
 * The painter of the memory under a view: as without it, but what the view or its slice leaves out is faded.
 * @param {Painter} stored the painter of the tensor that fills the memory
 * @param {Tensor} tensor the view
 * @param {readonly SliceDim[] | null} slice of the view
 * @returns {Painter}
 */
export function createMemoryPainter(stored, tensor, slice) {
  const wordOf = wordsOf(stored);
  const masks = masksOf(tensor.shape, slice).filter(({ dim }) => !isBroadcast(tensor.digits[dim]));
  const units = masks.map(({ dim }) => tensor.shape.map((_, at) => (at === dim ? 1 : 0)));
  const members = createRowDecoder(tensor, units);

  /** @type {Painter['paintAddresses']} */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    let met = stored.paintAddresses(address, step, count, out, at, y_px, patterned);
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const { kind, kinds, tables, bases, start, end: last } = members.locate(here, (count - done) * step, step);
      const end = Math.max(done + 1, Math.min(count, Math.ceil((last - address) / step)));
      for (; done < end; done += 1) {
        const place = Math.floor(address + done * step);
        const entry = place - start;
        const viewed = kind < 0 && kinds[entry] <= SHARED;
        let taken = viewed;
        for (let mask = 0; taken && mask < masks.length; mask += 1) {
          taken = masks[mask].inside(bases[mask] + tables[mask][entry]);
        }
        const faded = taken ? 0 : wordOf(place, stored.faded);
        if (faded !== 0) out[at + done] = faded;
        if (faded !== 0 && !viewed) met |= 1 << UNVIEWED;
      }
    }
    return met;
  }
  return Object.freeze({ ...stored, paintAddresses });
}

/**
 * The painter of a slice's result: each element looks as in the tensor that it was taken from.
 * @param {Painter} source
 * @param {Picked} picked
 * @returns {Painter}
 */
export function createSlicePainter(source, { tensor, toSource }) {
  return Object.freeze({
    ...source,
    tensor,
    masks: [],
    isMember: () => true,
    wordOf: (coords, faded, budget) => source.wordOf(toSource(coords), faded, budget),
    cell: (coords) => source.cell(toSource(coords)),
    textOf(text, values, room) {
      const textThere = source.textOf(text, values, room);
      return (coords, budget) => textThere(toSource(coords), budget);
    },
  });
}

/** @typedef {{logical: Painter, memory: Painter}} Painters of the tensor or its view, and of the memory under it */

/**
 * @param {PainterOptions & {memory: Tensor, unit: Unit | null}} options memory: the tensor before the steps of a
 *   view, the tensor itself without them; slice: of the view; unit: what colours by address
 * @returns {Painters}
 */
export function createPainters({ tensor, memory, unit, slice, ...same }) {
  const viewed = tensor !== memory;
  const byElement = createPainter({ ...same, tensor: memory, slice: viewed ? null : slice });
  const plain = unit ? createUnitPainter(byElement, unit) : byElement;
  return viewed
    ? { logical: createViewPainter(plain, tensor, slice), memory: createMemoryPainter(plain, tensor, slice) }
    : { logical: plain, memory: plain };
}
