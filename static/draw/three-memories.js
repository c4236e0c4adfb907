/** @import { Theme } from './types.js' */
/** @import { SmallPicture, PictureMemory } from '../core/files/three-memories.js' */
/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */
import { PICTURE_MEMORIES } from '../core/files/three-memories.js';
import { fromWord, inkOn, mix, paletteOf, parseColour, SHADES, toCss, toWord } from '../core/palette.js';
import { hatchOf } from './marks.js';

const SANS = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';
const MARGIN_CSS = 20;
const GAP_CSS = 30;
const TITLE_CSS = 40;
const HEAD_CSS = 62;
const LABEL_CSS = 19;
const BELOW_CSS = 12;
/** Narrower than this, the three memories stand below each other. */
const LEAST_WIDE_CSS = 640;
const PADDING_CHANNEL = 3;
const NAMES = ['red', 'green', 'blue'];
const SIGNS = ['R', 'G', 'B'];
const LEAST_PART_CSS = 100;
const LEAST_COLUMN_CSS = 250;
/** Quotients of whole numbers may miss a cell's edge by less than this. */
const ROUNDING = 1e-6;

/**
 * A part of a memory: the picture's pixels from (left, top) on, and which channels are drawn of each.
 * @typedef {{label: string, left: number, top: number, across: number, down: number, channels: readonly number[], written: boolean, lens: Lens | null}} Part
 *
 * A frame around what the next part shows larger.
 * @typedef {{left: number, top: number, across: number, down: number}} Lens
 *
 * @typedef {(channel: number, row: number, column: number) => number} WordOf the colour of a cell
 *
 * @typedef {object} Arrangement
 * @property {boolean} wide the memories stand side by side
 * @property {number} column_css width of one of them
 * @property {number} part_width_css of a picture
 * @property {number} part_css its height
 * @property {number} width_css
 * @property {number} height_css
 */

/**
 * How the three memories stand in a window of this size. A pixel of the picture takes whole device
 * pixels, so that all stripes are equal.
 * @param {SmallPicture} picture
 * @param {number} width_css
 * @param {number} most_css height that is there; Infinity where the page can be as long as needed
 * @param {number} pixelRatio
 * @returns {Arrangement}
 */
export function arrangeMemories(picture, width_css, most_css, pixelRatio) {
  const wide = width_css >= LEAST_WIDE_CSS;
  const fixed_css = TITLE_CSS + HEAD_CSS + 3 * (LABEL_CSS + BELOW_CSS) + MARGIN_CSS;
  const widest_css = wide ? (width_css - 2 * MARGIN_CSS - 2 * GAP_CSS) / 3 : width_css - 2 * MARGIN_CSS;
  const highest_css = wide ? Math.max(LEAST_PART_CSS, (most_css - fixed_css) / 3) : widest_css;
  const fitting_css = Math.min(widest_css / picture.width, highest_css / picture.height);
  const side_css = Math.max(1, Math.floor(fitting_css * pixelRatio)) / pixelRatio;
  const [part_width_css, part_css] = [side_css * picture.width, side_css * picture.height];
  const column_css = Math.max(part_width_css, Math.min(widest_css, LEAST_COLUMN_CSS));
  const parts = PICTURE_MEMORIES.map((memory) => partsOf(memory, picture, wide).length);
  const below_css = parts.reduce((sum, count) => sum + HEAD_CSS + count * (part_css + LABEL_CSS + BELOW_CSS), TITLE_CSS + MARGIN_CSS);
  return { wide, column_css, part_width_css, part_css, width_css, height_css: wide ? fixed_css + 3 * part_css : below_css };
}

/**
 * Draws the picture as it lies in memory in three layouts, with the formula of each.
 * @param {Context} context
 * @param {SmallPicture} picture
 * @param {Arrangement} arrangement
 * @param {Theme} theme
 * @param {number} pixelRatio
 */
export function drawThreeMemories(context, picture, arrangement, theme, pixelRatio) {
  const { wide, column_css, part_css, width_css, height_css } = arrangement;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width_css, height_css);
  const pen = createPen(context, theme);
  const between_css = wide ? column_css + Math.min(2 * GAP_CSS, (width_css - 2 * MARGIN_CSS - 3 * column_css) / 2) : 0;
  const left_css = wide ? (width_css - 2 * between_css - column_css) / 2 : MARGIN_CSS;
  const titled_css = pen.write('One picture in memory, three ways', left_css, 27, { font: `650 ${wide ? 19 : 17}px ${SANS}` });
  const size = `${picture.width} × ${picture.height} pixels`;
  if (wide) pen.write(`drawn with ${size}, whose addresses these are; Strides are those of all pixels`, left_css + titled_css + 14, 27, { font: `13px ${SANS}`, ink: theme.muted });
  const wordOf = createCells(picture, theme);
  let y_css = TITLE_CSS;
  PICTURE_MEMORIES.forEach((memory, at) => {
    const x_css = left_css + at * between_css;
    if (wide) y_css = TITLE_CSS;
    head(pen, memory, picture, { x_css, y_css, most_css: column_css, theme });
    y_css += HEAD_CSS;
    for (const part of partsOf(memory, picture, wide)) {
      pen.write(part.label, x_css, y_css + 12, { font: `12px ${SANS}`, ink: theme.muted, most_css: column_css });
      y_css += LABEL_CSS;
      drawPart(context, { part, wordOf, theme, pixelRatio, x_css, y_css, arrangement });
      y_css += part_css + BELOW_CSS;
    }
  });
}

/**
 * @param {Context} context
 * @param {Theme} theme
 */
function createPen(context, theme) {
  return {
    /**
     * @param {string} text
     * @param {number} x_css
     * @param {number} y_css of the base line
     * @param {{font: string, ink?: string, most_css?: number}} how
     */
    write(text, x_css, y_css, { font, ink = theme.text, most_css }) {
      context.font = font;
      context.fillStyle = ink;
      context.textAlign = 'left';
      context.textBaseline = 'alphabetic';
      context.fillText(text, x_css, y_css, most_css);
      return context.measureText(text).width;
    },
  };
}

/**
 * The name of a memory and its formula, in numbers and in letters.
 * @param {ReturnType<typeof createPen>} pen
 * @param {PictureMemory} memory
 * @param {SmallPicture} picture
 * @param {{x_css: number, y_css: number, most_css: number, theme: Theme}} place
 */
function head(pen, { layout, face, formula }, picture, { x_css, y_css, most_css, theme }) {
  const { numbers, letters } = formula(picture);
  const named_css = pen.write(layout, x_css, y_css + 17, { font: `650 17px ${theme.font}` });
  pen.write(face, x_css + named_css + 10, y_css + 17, { font: `17px ${SANS}` });
  const before_css = pen.write('address ', x_css, y_css + 37, { font: `13px ${theme.font}` });
  const rest = { most_css: most_css - before_css };
  pen.write(`= ${numbers}`, x_css + before_css, y_css + 37, { font: `13px ${theme.font}`, ...rest });
  pen.write(`= ${letters}`, x_css + before_css, y_css + 54, { font: `11px ${theme.font}`, ink: theme.muted, ...rest });
}

/**
 * Planes whole; stripes and combs whole and then closer, because a window cannot show all of their cells.
 * @param {PictureMemory} memory
 * @param {SmallPicture} picture
 * @param {boolean} wide with room for the closer look between
 * @returns {Part[]}
 */
function partsOf({ addressOf, places }, picture, wide) {
  const { width, height } = picture;
  const whole = { left: 0, top: 0, across: width, down: height, written: false, lens: null };
  if (places === 1) {
    return NAMES.map((name, channel) => {
      const [first, last] = [addressOf(picture, channel, 0, 0), addressOf(picture, channel, height - 1, width - 1)];
      return { ...whole, label: `c ${channel}, ${name}: addresses ${first} to ${last}`, channels: [channel] };
    });
  }
  const channels = Array.from({ length: places }, (_, channel) => channel);
  const near = lensOf(picture, 16);
  const nearest = lensOf(picture, 4);
  const said = places === 4 ? 'red, green, blue, empty' : 'red, green, blue';
  const first = addressOf(picture, 0, nearest.top, nearest.left);
  return [
    { ...whole, label: `addresses 0 to ${width * height * places - 1}`, channels, lens: wide ? near : nearest },
    ...(wide ? [{ ...near, label: `closer: ${said}, ${said.split(',')[0]} …`, channels, written: false, lens: nearest }] : []),
    { ...nearest, label: `closest: h ${nearest.top}, w ${nearest.left} is address ${first}`, channels, written: true, lens: null },
  ];
}

/**
 * So many pixels across, a little above the middle, where pictures show most.
 * @param {SmallPicture} picture
 * @param {number} across
 * @returns {Lens}
 */
function lensOf({ width, height }, across) {
  const wide = Math.min(across, width);
  const down = Math.max(1, Math.min(height, Math.round((wide * height) / width)));
  const left = Math.max(0, Math.min(width - wide, Math.round(width * 0.29 - wide / 2)));
  const top = Math.max(0, Math.min(height - down, Math.round(height * 0.4 - down / 2)));
  return { left, top, across: wide, down };
}

/**
 * @param {SmallPicture} picture
 * @param {Theme} theme
 * @returns {WordOf}
 */
function createCells({ width, height, planes }, theme) {
  const palette = paletteOf('picture', theme);
  const empty = toWord(mix(parseColour(theme.background), parseColour(theme.hatch), 0.3));
  return (channel, row, column) =>
    channel === PADDING_CHANNEL ? empty : palette[channel * SHADES + planes[(channel * height + row) * width + column]];
}

/**
 * @param {Context} context
 * @param {{part: Part, wordOf: WordOf, theme: Theme, pixelRatio: number, x_css: number, y_css: number, arrangement: Arrangement}} scene
 */
function drawPart(context, { part, wordOf, theme, pixelRatio, x_css, y_css, arrangement }) {
  const { left, top, across, down, channels, written, lens } = part;
  const image = new ImageData(Math.round(arrangement.part_width_css * pixelRatio), Math.round(arrangement.part_css * pixelRatio));
  const words = new Uint32Array(image.data.buffer);
  const cells = across * channels.length;
  for (let y = 0; y < image.height; y += 1) {
    const row = top + Math.floor((y * down) / image.height);
    /** @param {number} cell */
    const wordAt = (cell) => wordOf(channels[cell % channels.length], row, left + Math.floor(cell / channels.length));
    for (let x = 0; x < image.width; x += 1) {
      words[y * image.width + x] = blend((x * cells) / image.width, ((x + 1) * cells) / image.width, wordAt);
    }
  }
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  const [x, y] = [x_css, y_css].map((place) => Math.round(place * pixelRatio) / pixelRatio);
  const [width_css, height_css] = [image.width / pixelRatio, image.height / pixelRatio];
  context.imageSmoothingEnabled = false;
  context.drawImage(canvas, x, y, width_css, height_css);
  if (written) writeCells(context, { part, wordOf, theme, x, y, width_css, height_css });
  if (lens) {
    const [across_css, down_css] = [width_css / across, height_css / down];
    frame(context, theme, x + (lens.left - left) * across_css, y + (lens.top - top) * down_css, lens.across * across_css, lens.down * down_css);
  }
}

/**
 * The colour of a device pixel: the mean of the cells that it covers.
 * @param {number} from in cells
 * @param {number} to
 * @param {(cell: number) => number} wordAt
 */
function blend(from, to, wordAt) {
  const first = Math.floor(from + ROUNDING);
  if (to <= first + 1 + ROUNDING) return wordAt(first);
  const sums = [0, 0, 0];
  for (let cell = first; cell < to - ROUNDING; cell += 1) {
    const share = (Math.min(to, cell + 1) - Math.max(from, cell)) / (to - from);
    fromWord(wordAt(cell)).forEach((part, place) => (sums[place] += part * share));
  }
  return toWord([Math.round(sums[0]), Math.round(sums[1]), Math.round(sums[2])]);
}

/**
 * Letters in the cells of the closest part, whose label has the first address; hatching where no element lies.
 * @param {Context} context
 * @param {{part: Part, wordOf: WordOf, theme: Theme, x: number, y: number, width_css: number, height_css: number}} scene
 */
function writeCells(context, { part, wordOf, theme, x, y, width_css, height_css }) {
  const { left, top, across, down, channels } = part;
  const columns = across * channels.length;
  const [cell_css, row_css] = [width_css / columns, height_css / down];
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 1;
  context.strokeStyle = theme.background;
  for (let place = 0; place < columns * down; place += 1) {
    const channel = channels[place % channels.length];
    const column = left + Math.floor((place % columns) / channels.length);
    const row = top + Math.floor(place / columns);
    context.save();
    context.translate(x + (place % columns) * cell_css, y + (row - top) * row_css);
    if (channel === PADDING_CHANNEL) {
      context.fillStyle = hatchOf(context, theme.hatch);
      context.fillRect(0, 0, cell_css, row_css);
    }
    context.strokeRect(0, 0, cell_css, row_css);
    if (channel !== PADDING_CHANNEL) {
      context.translate(cell_css / 2, row_css / 2);
      context.fillStyle = toCss(inkOn(fromWord(wordOf(channel, row, column))));
      context.font = `${Math.min(14, cell_css * 0.9)}px ${theme.font}`;
      context.fillText(SIGNS[channel], 0, 0);
    }
    context.restore();
  }
}

/**
 * @param {Context} context
 * @param {Theme} theme
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function frame(context, theme, x, y, width, height) {
  for (const [ink, line] of /** @type {const} */ ([[theme.background, 4], [theme.text, 1.5]])) {
    context.strokeStyle = ink;
    context.lineWidth = line;
    context.strokeRect(x - 1, y - 1, width + 2, height + 2);
  }
}
