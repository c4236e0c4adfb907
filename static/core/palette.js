/** @import { Theme } from './types.js' */
/** @typedef {readonly [number, number, number]} Rgb red, green and blue, 0 to 255 */

/** A palette has 256 shades for each of eight categories, then the same again, faded. */
export const CATEGORIES = 8;
export const SHADES = 256;

/**
 * Okabe and Ito's colours, ordered so that neighbours differ most. Their black is a grey here, which has
 * shades: dark on a light page, light on a dark one.
 */
const OKABE_ITO = Object.freeze(['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442']);
const GREYS = Object.freeze({ light: '#444444', dark: '#dddddd' });
/**
 * How far a category's shades go: dark ones about their colour, under white ink; the others from a tint to their
 * colour, under black ink. So no ink changes inside a category. Wider, and the shades of two categories meet.
 */
const LIGHTEST = 0.22;
const PALER = 0.06;
const DARKEST = 0.08;
/** What WCAG 2.2 asks of a shape that carries meaning (1.4.11). */
const LEAST_CONTRAST = 3;

/** Viridis (Smith and van der Walt, CC0) at every 16th of its 256 places, and at its last. */
const VIRIDIS = Object.freeze([
  '#440154', '#48186a', '#472d7b', '#424086', '#3b528b', '#33638d', '#2c728e', '#26828e', '#21918c',
  '#1fa088', '#28ae80', '#3fbc73', '#5ec962', '#84d44b', '#addc30', '#d8e219', '#fde725',
]);

/** The brightest red, green and blue of a picture's planes: clearly different, yet light enough to show detail. */
const LIGHTS = Object.freeze(['#ff5a4d', '#45d36b', '#5a8cff']);

const WHITE = /** @type {Rgb} */ (Object.freeze([255, 255, 255]));
const BLACK = /** @type {Rgb} */ (Object.freeze([0, 0, 0]));

/**
 * Red, green and blue of #rgb, #rrggbb or rgb(). Throws a RangeError for anything else.
 * @param {string} css
 * @returns {Rgb}
 */
export function parseColour(css) {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(css);
  if (short) return toRgb(short.slice(1).map((digit) => parseInt(digit + digit, 16)));
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(css);
  if (long) return toRgb(long.slice(1).map((digits) => parseInt(digits, 16)));
  const parts = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(css);
  if (parts) return toRgb(parts.slice(1).map(Number));
  throw new RangeError(`colour ${JSON.stringify(css)}: #rgb, #rrggbb or rgb() expected`);
}

/**
 * @param {readonly number[]} parts
 * @returns {Rgb}
 */
function toRgb(parts) {
  return [parts[0], parts[1], parts[2]];
}

/**
 * @param {Rgb} from
 * @param {Rgb} to
 * @param {number} share of `to`
 * @returns {Rgb}
 */
export function mix(from, to, share) {
  return toRgb(from.map((part, at) => Math.round(part + (to[at] - part) * share)));
}

/**
 * @param {Rgb} rgb
 * @returns {number} opaque RGBA as one word of an ImageData
 */
export function toWord([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * @param {number} word
 * @returns {Rgb}
 */
export function fromWord(word) {
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255];
}

/**
 * @param {Rgb} rgb
 * @returns {string}
 */
export function toCss([red, green, blue]) {
  return `rgb(${red}, ${green}, ${blue})`;
}

/**
 * Relative luminance as WCAG 2.2 defines it.
 * @param {Rgb} rgb
 * @returns {number} 0 to 1
 */
export function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Contrast ratio as WCAG 2.2 defines it.
 * @param {Rgb} left
 * @param {Rgb} right
 * @returns {number} 1 to 21
 */
export function contrast(left, right) {
  const [low, high] = [luminance(left), luminance(right)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/**
 * Black or white, whichever is easier to read on a colour.
 * @param {Rgb} rgb
 * @returns {Rgb}
 */
export function inkOn(rgb) {
  return contrast(rgb, BLACK) >= contrast(rgb, WHITE) ? BLACK : WHITE;
}

/**
 * @param {readonly Rgb[]} stops evenly spaced
 * @param {number} share 0 to 1
 * @returns {Rgb}
 */
function along(stops, share) {
  const place = Math.min(share, 1) * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  return mix(stops[first], stops[first + 1], place - first);
}

/**
 * Viridis at a share of its length.
 * @param {number} share 0 to 1
 * @returns {Rgb}
 */
export function viridis(share) {
  return along(VIRIDIS.map(parseColour), share);
}

/**
 * The pure colour of a category: of a channel, or of a dimension.
 * @param {number} category any integer from 0; the colours repeat after CATEGORIES
 * @param {Pick<Theme, 'dark'>} theme
 * @returns {Rgb}
 */
export function categoryColour(category, { dark }) {
  const row = category % CATEGORIES;
  return parseColour(row < OKABE_ITO.length ? OKABE_ITO[row] : dark ? GREYS.dark : GREYS.light);
}

/**
 * The colour nearest to a fill, on its way to the text's colour, that stands out from the background.
 * @param {Rgb} fill
 * @param {Rgb} back
 * @param {Rgb} text
 * @returns {Rgb} of a contrast of at least 3 with the background, where the text has one; the fill
 *   itself where it stands out
 */
export function outlineOf(fill, back, text) {
  for (let share = 0; share < 1; share += 0.05) {
    const colour = mix(fill, text, share);
    if (contrast(colour, back) >= LEAST_CONTRAST) return colour;
  }
  return text;
}

/** @typedef {'categories' | 'flat' | 'viridis' | 'picture' | 'grey'} Scale */

/**
 * The colour stops of every row of a scale.
 * @param {Scale} scale
 * @param {Theme} theme
 * @returns {readonly (readonly Rgb[])[]} CATEGORIES rows
 */
function stopsOf(scale, theme) {
  const rows = Array.from({ length: CATEGORIES }, (_, row) => row);
  if (theme.forced) {
    const back = parseColour(theme.background);
    const text = parseColour(theme.text);
    const varied = scale === 'categories' || scale === 'flat';
    return rows.map((row) => {
      const base = varied ? ((row * 3) % CATEGORIES) * 0.06 : 0;
      return [mix(back, text, 0.06 + base), mix(back, text, scale === 'flat' ? 0.06 + base : varied ? 0.4 + base : 0.94)];
    });
  }
  switch (scale) {
    case 'viridis':
      return rows.map(() => VIRIDIS.map(parseColour));
    case 'grey':
      return rows.map(() => [BLACK, WHITE]);
    case 'picture':
      return rows.map((row) => [parseColour('#0c0c0f'), parseColour(LIGHTS[row % LIGHTS.length])]);
    default:
      return rows.map((row) => {
        const colour = categoryColour(row, theme);
        if (scale === 'flat') return [colour, colour];
        return inkOn(colour) === WHITE ? [mix(colour, WHITE, PALER), mix(colour, BLACK, DARKEST)] : [mix(colour, WHITE, LIGHTEST), colour];
      });
  }
}

/** @type {WeakMap<Theme, Map<Scale, Uint32Array>>} */
const palettes = new WeakMap();

/**
 * Pixel words of a scale: CATEGORIES rows of SHADES, then the same rows faded. Cached per theme.
 * @param {Scale} scale
 * @param {Theme} theme
 * @returns {Uint32Array} not to be changed
 */
export function paletteOf(scale, theme) {
  const known = palettes.get(theme) ?? new Map();
  palettes.set(theme, known);
  if (!known.has(scale)) known.set(scale, makePalette(scale, theme));
  return known.get(scale);
}

/**
 * @param {Scale} scale
 * @param {Theme} theme
 * @returns {Uint32Array}
 */
function makePalette(scale, theme) {
  const words = new Uint32Array(2 * CATEGORIES * SHADES);
  const back = parseColour(theme.background);
  stopsOf(scale, theme).forEach((stops, row) => {
    for (let shade = 0; shade < SHADES; shade += 1) {
      const rgb = along(stops, shade / (SHADES - 1));
      words[row * SHADES + shade] = toWord(rgb);
      words[(CATEGORIES + row) * SHADES + shade] = toWord(mix(rgb, back, 0.84));
    }
  });
  return words;
}

/**
 * The default theme, light or dark. The page replaces its colours by those of the style sheets.
 * @param {boolean} dark
 * @returns {Theme}
 */
export function defaultTheme(dark) {
  const font = 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';
  return Object.freeze(
    dark
      ? {
          background: '#14171a', text: '#e8eaec', muted: '#9aa3ab', line: '#3a4148', hatch: '#66707a',
          select: '#ffffff', hover: '#c4ccd4', dark, forced: false, font,
        }
      : {
          background: '#fbfbfa', text: '#16191c', muted: '#5c656d', line: '#d3d7da', hatch: '#9aa3aa',
          select: '#000000', hover: '#4a535b', dark, forced: false, font,
        },
  );
}
