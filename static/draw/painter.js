/** @typedef {import('./types.js').Painter} Painter */
/** @typedef {import('./types.js').PainterOptions} PainterOptions */
/** @typedef {import('./types.js').SliceDim} SliceDim */
import {
  CATEGORIES, fromWord, inkOn, mix, paletteOf, parseColour, SHADES, toCss, toWord,
} from '../core/palette.js';
import { isBroadcast } from '../core/layout/digits.js';
import { PADDING, SHARED, UNDETERMINED } from '../core/layout/kinds.js';
import { createRowDecoder } from '../core/rows/decoder.js';
import { rowMajorWeights, weighted } from '../core/shape.js';
import { planColours } from './colours.js';

const FADED = CATEGORIES * SHADES;
const HUE = 0;
const LIGHT = 1;
export const LINEAR = 2;
const FIRST_MASK = 3;
const MOST_MASK_ENTRIES = 2 ** 20;
/** Values whose length stands for that of all. */
const MEASURED_VALUES = 512;

/**
 * A function that says whether a coordinate belongs to a slice. Small dimensions use a table.
 * @param {SliceDim} member
 * @param {number} extent
 * @returns {(coordinate: number) => boolean}
 */
function membership({ start, step, count }, extent) {
  /** @param {number} coordinate */
  const inside = (coordinate) => {
    const place = (coordinate - start) / step;
    return Number.isInteger(place) && place >= 0 && place < count;
  };
  if (extent > MOST_MASK_ENTRIES) return inside;
  const table = Uint8Array.from({ length: extent }, (_, coordinate) => (inside(coordinate) ? 1 : 0));
  return (coordinate) => table[coordinate] === 1;
}

/**
 * The colours of a tensor's elements. An element has the same colour in every grid.
 *
 * Created once per tensor, colour, values, slice and theme. Throws a RangeError as planColours does.
 * @param {PainterOptions} options
 * @returns {Painter}
 */
export function createPainter(options) {
  const { tensor, theme, slice } = options;
  const { shape } = tensor;
  const plan = planColours(options);
  const { hue, light, shades } = plan;
  const palette = paletteOf(plan.scale, theme);
  const whole = slice === null ? [] : slice;
  const masks = whole.flatMap((member, dim) =>
    member.count >= shape[dim] && Math.abs(member.step) === 1
      ? []
      : [{ dim, inside: membership(member, shape[dim]) }],
  );
  // An address of a broadcast dimension belongs to all its coordinates, so always to the slice as well.
  const addressMasks = masks.filter(({ dim }) => !isBroadcast(tensor.digits[dim]));
  const maskUnits = addressMasks.map(({ dim }) => shape.map((_, at) => (at === dim ? 1 : 0)));
  const decoder = createRowDecoder(tensor, [hue, light, rowMajorWeights(shape), ...maskUnits]);

  const back = parseColour(theme.background);
  const paddingWord = toWord(mix(back, parseColour(theme.hatch), 0.16));
  const hatchWord = toWord(parseColour(theme.hatch));
  const dotWord = toWord(mix(back, parseColour(theme.hatch), 0.35));

  /**
   * @param {number} hueSum
   * @param {number} lightSum
   * @param {number} faded 0 or FADED
   */
  function wordAt(hueSum, lightSum, faded) {
    const shade = shades === null ? lightSum | 0 : shades[lightSum];
    return palette[faded + ((hueSum & (CATEGORIES - 1)) << 8) + shade];
  }

  /** @param {readonly number[]} coords */
  function isMember(coords) {
    return masks.every(({ dim, inside }) => inside(coords[dim]));
  }

  /** @param {readonly number[]} coords */
  function cell(coords) {
    const faded = isMember(coords) ? 0 : FADED;
    const rgb = fromWord(wordAt(weighted(hue, coords), weighted(light, coords), faded));
    return { fill: toCss(rgb), ink: toCss(inkOn(rgb)) };
  }

  /**
   * @param {number} kind
   * @param {number} diagonal column + row of the pixel
   * @param {boolean} patterned
   */
  function vacantWord(kind, diagonal, patterned) {
    if (kind === PADDING) return patterned && (diagonal & 7) < 2 ? hatchWord : paddingWord;
    if (kind === UNDETERMINED) return patterned && (diagonal & 1) === 0 ? hatchWord : dotWord;
    return 0;
  }

  /**
   * The innermost loop of a frame: whatever a row has in common is computed outside it.
   * @param {number} address
   * @param {number} step
   * @param {number} count
   * @param {Uint32Array} out
   * @param {number} at
   * @param {number} y_px
   * @param {boolean} patterned
   */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const segment = decoder.locate(here, (count - done) * step, step);
      const left = Math.ceil((segment.end - address) / step);
      const end = Math.max(done + 1, Math.min(count, left));
      const { kind, kinds, tables, bases, start } = segment;
      if (kind >= 0) {
        for (; done < end; done += 1) out[at + done] = vacantWord(kind, done + y_px, patterned);
        continue;
      }
      const hues = tables[HUE];
      const lights = tables[LIGHT];
      const hueBase = bases[HUE];
      const lightBase = bases[LIGHT];
      for (; done < end; done += 1) {
        const entry = Math.floor(address + done * step) - start;
        const entryKind = kinds[entry];
        if (entryKind > SHARED) {
          out[at + done] = vacantWord(entryKind, done + y_px, patterned);
          continue;
        }
        let faded = 0;
        for (let mask = 0; mask < addressMasks.length; mask += 1) {
          const table = FIRST_MASK + mask;
          if (!addressMasks[mask].inside(bases[table] + tables[table][entry])) faded = FADED;
        }
        const lightSum = lightBase + lights[entry];
        const shade = shades === null ? lightSum | 0 : shades[lightSum];
        out[at + done] = palette[faded + (((hueBase + hues[entry]) & (CATEGORIES - 1)) << 8) + shade];
      }
    }
  }

  return Object.freeze({
    tensor, theme, decoder, hue, light, masks, faded: FADED, cell, isMember, paintAddresses, wordAt,
  });
}

/**
 * The kind of text that 'auto' stands for.
 * @param {import('./types.js').Tensor} tensor
 * @param {import('./types.js').CellText} text
 * @param {import('./types.js').Values | null} values
 * @returns {Exclude<import('./types.js').CellText, 'auto'>}
 */
export function resolveText(tensor, text, values) {
  if (text === 'value' && values === null) return 'linear';
  if (text === 'letter' && tensor.elements > 26) return 'linear';
  if (text !== 'auto') return text;
  if (values !== null) return 'value';
  return tensor.elements <= 26 ? 'letter' : 'linear';
}

/**
 * @param {number | bigint} value
 * @returns {string} at most eight characters or so; integers as they are
 */
function shortNumber(value) {
  if (typeof value === 'bigint' || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  const fixed = Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5;
  return fixed ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}

/** @type {WeakMap<object, number>} */
const lengths = new WeakMap();

/**
 * @param {import('./types.js').Values} values
 * @returns {number} characters of the longest of some of them
 */
function valueLength({ data }) {
  const known = lengths.get(data);
  if (known !== undefined) return known;
  let most = 1;
  const step = Math.max(1, Math.floor(data.length / MEASURED_VALUES));
  for (let at = 0; at < data.length; at += step) most = Math.max(most, shortNumber(data[at]).length);
  lengths.set(data, most);
  return most;
}

/**
 * Characters of the longest text of a cell.
 * @param {import('./types.js').Tensor} tensor
 * @param {import('./types.js').CellText} text
 * @param {import('./types.js').Values | null} values
 * @returns {number}
 */
export function textLength(tensor, text, values) {
  /** @param {number} count */
  const digits = (count) => String(Math.max(0, count - 1)).length;
  switch (resolveText(tensor, text, values)) {
    case 'value':
      return values === null ? 1 : valueLength(values);
    case 'letter':
      return 1;
    case 'address':
      return digits(tensor.bufferElements);
    case 'coords':
      return tensor.shape.reduce((sum, size) => sum + digits(size) + 1, -1);
    default:
      return digits(tensor.elements);
  }
}

/**
 * The text of an element's cell.
 * @param {import('./types.js').Tensor} tensor
 * @param {readonly number[]} coords
 * @param {import('./types.js').CellText} text
 * @param {import('./types.js').Values | null} values
 * @returns {string}
 */
export function cellText(tensor, coords, text, values) {
  const linear = tensor.linearOf(coords);
  switch (resolveText(tensor, text, values)) {
    case 'value':
      return values === null ? '' : shortNumber(values.data[linear]);
    case 'letter':
      return String.fromCharCode(65 + linear);
    case 'address':
      return String(tensor.addressOf(coords));
    case 'coords':
      return coords.join(',');
    default: {
      const digits = String(Math.max(0, tensor.elements - 1)).length;
      return String(linear).padStart(digits <= 6 ? digits : 1, '0');
    }
  }
}
