/** @import { Painter, PainterOptions, SliceDim } from './types.js' */
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
 * Says whether a coordinate belongs to a slice. Small dimensions use a table.
 * @param {SliceDim} member
 * @param {number} extent
 * @returns {Pick<Mask, 'inside' | 'table'>}
 */
function membership({ start, step, count }, extent) {
  /** @param {number} coordinate */
  const inside = (coordinate) => {
    const place = (coordinate - start) / step;
    return Number.isInteger(place) && place >= 0 && place < count;
  };
  if (extent > MOST_MASK_ENTRIES) return { inside, table: null };
  const table = new Uint8Array(extent);
  for (let at = 0; at < count; at += 1) table[start + step * at] = 1;
  return { inside: (coordinate) => table[coordinate] === 1, table };
}

/**
 * A dimension that a slice restricts; the table has 1 for what it takes, null for a large dimension.
 * @typedef {{dim: number, inside: (coordinate: number) => boolean, table: Uint8Array | null}} Mask
 */

/**
 * @param {readonly number[]} shape
 * @param {readonly SliceDim[] | null} slice
 * @returns {Mask[]}
 */
export function masksOf(shape, slice) {
  return (slice ?? []).flatMap((member, dim) =>
    member.count >= shape[dim] && Math.abs(member.step) === 1
      ? []
      : [{ dim, ...membership(member, shape[dim]) }],
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
  const interleaved = tensor.firstAlong === null;
  const searches = interleaved && tensor.elements > MOST_KNOWN_ENTRIES;
  const known = interleaved && !searches ? new Uint16Array(tensor.elements) : null;

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

  /** @type {Painter['paintRun']} */
  function paintRun({ hue: hueBase, light: lightBase, hueStep, lightStep, inside }, places, members, out, at, from, end) {
    for (let x = from; x < end; x += 1) {
      const faded = inside && members[x] === 1 ? 0 : FADED;
      const lightSum = lightBase + places[x] * lightStep;
      const shade = shades === null ? lightSum | 0 : shades[lightSum];
      out[at + x] = palette[faded + (((hueBase + places[x] * hueStep) & (CATEGORIES - 1)) << 8) + shade];
    }
  }

  /** @param {readonly number[]} coords */
  function isMember(coords) {
    return isInside(masks, coords);
  }

  /** @type {Painter['textOf']} */
  function textOf(text, values, room) {
    return createCellText(tensor, text, values, room);
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

  /** Where the pixels of a run lie in the decoder's tables, and what the slice adds to their place in the palette. */
  let entries = new Int32Array(0);
  let fades = new Uint16Array(0);

  /**
   * @param {import('../core/rows/decoder.js').Segment} segment
   * @param {number} length of the run
   */
  function fadeRun({ tables, bases, varies }, length) {
    let outside = false;
    for (let mask = 0; mask < addressMasks.length; mask += 1) {
      if (!varies[FIRST_MASK + mask]) outside ||= !addressMasks[mask].inside(bases[FIRST_MASK + mask]);
    }
    fades.fill(outside ? FADED : 0, 0, length);
    for (let mask = 0; mask < addressMasks.length && !outside; mask += 1) {
      if (!varies[FIRST_MASK + mask]) continue;
      const { table, inside } = addressMasks[mask];
      const base = bases[FIRST_MASK + mask];
      const places = tables[FIRST_MASK + mask];
      if (table === null) {
        for (let at = 0; at < length; at += 1) if (!inside(base + places[entries[at]])) fades[at] = FADED;
      } else {
        for (let at = 0; at < length; at += 1) if (table[base + places[entries[at]]] !== 1) fades[at] = FADED;
      }
    }
  }

  /**
   * The innermost loops of a frame: whatever a row has in common is computed outside them.
   * @param {import('../core/rows/decoder.js').Segment} segment
   * @param {number} length of the run, whose entries are known
   * @param {Uint32Array} out
   * @param {number} at
   * @param {number} diagonal column + row of the first pixel
   * @param {boolean} patterned
   * @returns {number} bits of the kinds without an element
   */
  function paintRunOf({ kinds, tables, bases }, length, out, at, diagonal, patterned) {
    let met = 0;
    const hues = tables[HUE];
    const lights = tables[LIGHT];
    const hueBase = bases[HUE];
    const lightBase = bases[LIGHT];
    for (let pixel = 0; pixel < length; pixel += 1) {
      const entry = entries[pixel];
      const kind = kinds[entry];
      if (kind > SHARED) {
        met |= 1 << kind;
        out[at + pixel] = vacantWord(kind, diagonal + pixel, patterned);
        continue;
      }
      const lightSum = lightBase + lights[entry];
      const shade = shades === null ? lightSum | 0 : shades[lightSum];
      out[at + pixel] = palette[fades[pixel] + (((hueBase + hues[entry]) & (CATEGORIES - 1)) << 8) + shade];
    }
    return met;
  }

  /**
   * The same without a slice, for the pixels done..end, with nothing to look up first.
   * @param {import('../core/rows/decoder.js').Segment} segment
   * @param {number} address of pixel 0
   * @param {number} step
   * @param {number} done
   * @param {number} end
   * @param {Uint32Array} out
   * @param {number} at of pixel 0
   * @param {number} y_px
   * @param {boolean} patterned
   */
  function paintPlain({ kinds, tables, bases, start }, address, step, done, end, out, at, y_px, patterned) {
    let met = 0;
    const hues = tables[HUE];
    const lights = tables[LIGHT];
    const hueBase = bases[HUE];
    const lightBase = bases[LIGHT];
    if (step === 1 && shades === null) {
      // A cell a pixel, the most frequent case by far: nothing to round.
      for (let pixel = done, entry = Math.floor(address + done) - start; pixel < end; pixel += 1, entry += 1) {
        const kind = kinds[entry];
        if (kind <= SHARED) {
          out[at + pixel] = palette[(((hueBase + hues[entry]) & (CATEGORIES - 1)) << 8) + ((lightBase + lights[entry]) | 0)];
        } else {
          met |= 1 << kind;
          out[at + pixel] = vacantWord(kind, pixel + y_px, patterned);
        }
      }
      return met;
    }
    for (let pixel = done; pixel < end; pixel += 1) {
      const entry = Math.floor(address + pixel * step) - start;
      const kind = kinds[entry];
      if (kind > SHARED) {
        met |= 1 << kind;
        out[at + pixel] = vacantWord(kind, pixel + y_px, patterned);
        continue;
      }
      const lightSum = lightBase + lights[entry];
      const shade = shades === null ? lightSum | 0 : shades[lightSum];
      out[at + pixel] = palette[(((hueBase + hues[entry]) & (CATEGORIES - 1)) << 8) + shade];
    }
    return met;
  }

  /** @type {Painter['paintAddresses']} */
  function paintAddresses(address, step, count, out, at, y_px, patterned) {
    let met = 0;
    if (entries.length < count && addressMasks.length > 0) {
      entries = new Int32Array(count);
      fades = new Uint16Array(count);
    }
    for (let done = 0; done < count; ) {
      const here = Math.floor(address + done * step);
      const segment = decoder.locate(here, (count - done) * step, step);
      const left = Math.ceil((segment.end - address) / step);
      const end = Math.max(done + 1, Math.min(count, left));
      const { kind, start } = segment;
      if (kind >= 0) {
        met |= 1 << kind;
        for (; done < end; done += 1) out[at + done] = vacantWord(kind, done + y_px, patterned);
        continue;
      }
      const length = end - done;
      if (addressMasks.length === 0) {
        met |= paintPlain(segment, address, step, done, end, out, at, y_px, patterned);
      } else {
        for (let pixel = 0; pixel < length; pixel += 1) entries[pixel] = Math.floor(address + (done + pixel) * step) - start;
        fadeRun(segment, length);
        met |= paintRunOf(segment, length, out, at + done, done + y_px, patterned);
      }
      done = end;
    }
    return met;
  }

  return Object.freeze({
    tensor, theme, plan, palette, decoder, hue, light, masks, faded: FADED, cell, isMember, outline, paintAddresses, paintRun,
    padding: toCss(fromWord(paddingWord)), searches, textOf, vacantWord, wordAt, wordOf,
  });
}
