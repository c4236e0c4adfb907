/** @typedef {import('./types.js').Painter} Painter */
/** @typedef {import('./types.js').PainterOptions} PainterOptions */
/** @typedef {import('./types.js').SliceDim} SliceDim */
import {
  CATEGORIES, fromWord, inkOn, mix, outlineOf, paletteOf, parseColour, SHADES, toCss, toWord,
} from '../core/palette.js';
import { isBroadcast } from '../core/layout/digits.js';
import { PADDING, SHARED, UNDETERMINED } from '../core/layout/kinds.js';
import { createRowDecoder } from '../core/rows/decoder.js';
import { rowMajorWeights, weighted } from '../core/shape.js';
import { createCellText } from './cell-text.js';
import { planColours } from './colours.js';

const FADED = CATEGORIES * SHADES;
const HUE = 0;
const LIGHT = 1;
export const LINEAR = 2;
const FIRST_MASK = 3;
const MOST_MASK_ENTRIES = 2 ** 20;
const MOST_KNOWN_ENTRIES = 2 ** 20;
const MOST_OUTLINES = 4096;

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
  const table = new Uint8Array(extent);
  for (let at = 0; at < count; at += 1) table[start + step * at] = 1;
  return (coordinate) => table[coordinate] === 1;
}

/** @typedef {{dim: number, inside: (coordinate: number) => boolean}} Mask a dimension that a slice restricts */

/**
 * @param {readonly number[]} shape
 * @param {readonly SliceDim[] | null} slice
 * @returns {Mask[]}
 */
export function masksOf(shape, slice) {
  return (slice ?? []).flatMap((member, dim) =>
    member.count >= shape[dim] && Math.abs(member.step) === 1
      ? []
      : [{ dim, inside: membership(member, shape[dim]) }],
  );
}

/**
 * @param {readonly Mask[]} masks
 * @param {readonly number[]} coords
 * @returns {boolean}
 */
export function isInside(masks, coords) {
  return masks.every(({ dim, inside }) => inside(coords[dim]));
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
  const masks = masksOf(shape, slice);
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
   */
  function entryAt(hueSum, lightSum) {
    const shade = shades === null ? lightSum | 0 : shades[lightSum];
    return ((hueSum & (CATEGORIES - 1)) << 8) + shade;
  }

  /**
   * @param {number} hueSum
   * @param {number} lightSum
   * @param {number} faded 0 or FADED
   */
  function wordAt(hueSum, lightSum, faded) {
    return palette[faded + entryAt(hueSum, lightSum)];
  }

  // Where the first owner has to be searched for, it is kept: the next frame shows mostly the same cells.
  const searched = tensor.firstAlong === null && tensor.elements <= MOST_KNOWN_ENTRIES;
  const known = searched ? new Uint16Array(tensor.elements) : null;

  /**
   * @param {readonly number[]} coords
   * @param {number} faded 0 or FADED
   * @param {number} [budget]
   */
  function wordOf(coords, faded, budget) {
    const linear = known === null ? 0 : tensor.linearOf(coords);
    let entry = known === null ? -1 : known[linear] - 1;
    if (entry < 0) {
      const owner = tensor.firstOwner(coords, budget);
      entry = entryAt(weighted(hue, owner), weighted(light, owner));
      if (known !== null) known[linear] = entry + 1;
    }
    return palette[faded + entry];
  }

  /** @param {readonly number[]} coords */
  function isMember(coords) {
    return isInside(masks, coords);
  }

  /** @type {Painter['textOf']} */
  function textOf(text, values) {
    return createCellText(tensor, text, values);
  }

  /** @param {readonly number[]} coords */
  function cell(coords) {
    const faded = isMember(coords) ? 0 : FADED;
    const rgb = fromWord(wordOf(coords, faded));
    return { fill: toCss(rgb), ink: toCss(inkOn(rgb)) };
  }

  const front = parseColour(theme.text);
  const outside = masks.length === 0 ? new Set() : new Set(palette.subarray(FADED));
  /** @type {Map<number, string>} */
  const outlines = new Map();

  /** @param {number} word */
  function outline(word) {
    // Rounded, so that a frame has few outlines of different colours.
    const rounded = (word & 0xfff0f0f0) | 0x00080808;
    let colour = outlines.get(rounded);
    if (colour === undefined) {
      const fill = fromWord(rounded);
      const edge = outlineOf(fill, back, front);
      colour = edge.every((part, at) => part === fill[at]) ? '' : toCss(edge);
      if (outlines.size >= MOST_OUTLINES) outlines.clear();
      outlines.set(rounded, colour);
    }
    return colour === '' || outside.has(word) ? null : colour;
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
   * @returns {number} bits of the kinds without an element
   */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    let met = 0;
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const segment = decoder.locate(here, (count - done) * step, step);
      const left = Math.ceil((segment.end - address) / step);
      const end = Math.max(done + 1, Math.min(count, left));
      const { kind, kinds, tables, bases, start } = segment;
      if (kind >= 0) {
        met |= 1 << kind;
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
          met |= 1 << entryKind;
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
    return met;
  }

  return Object.freeze({
    tensor, theme, plan, palette, decoder, hue, light, masks, faded: FADED, cell, isMember, outline, paintAddresses,
    textOf, vacantWord, wordAt, wordOf,
  });
}
