import { fromWord, inkOn, toCss } from '../core/palette.js';

/** Steps of the searches for owners: per frame, and the least and the most per search. */
const FRAME_BUDGET = 2 ** 20;
const LEAST_BUDGET = 24;
const MOST_BUDGET = 256;

/**
 * @typedef {object} Surface pixels that are written as words and then drawn onto a canvas
 * @property {OffscreenCanvas} canvas
 * @property {OffscreenCanvasRenderingContext2D} context
 * @property {ImageData} image
 * @property {Uint32Array} words the image's pixels, row by row
 * @property {number} width_px
 * @property {number} height_px
 */

/** Samples per pixel, where a pixel stands for several cells. */
export const SAMPLES = 4;
/** With more cells per pixel than this, four samples look no better than one and cost four times as much. */
export const MOST_AVERAGED_CELLS = 64;

/** @type {WeakMap<CanvasRenderingContext2D, Surface>} */
const surfaces = new WeakMap();

/**
 * The pixel surface of a canvas, cached while the size stays the same: a frame must not allocate megabytes.
 * @param {CanvasRenderingContext2D} owner
 * @param {number} width_px
 * @param {number} height_px
 * @returns {Surface}
 */
export function surfaceOf(owner, width_px, height_px) {
  const known = surfaces.get(owner);
  if (known !== undefined && known.width_px === width_px && known.height_px === height_px) return known;
  const canvas = new OffscreenCanvas(width_px, height_px);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser gives no 2d canvas');
  const image = new ImageData(width_px, height_px);
  const words = new Uint32Array(image.data.buffer);
  const surface = { canvas, context, image, words, width_px, height_px };
  surfaces.set(owner, surface);
  return surface;
}

/**
 * Draws the surface onto the canvas with sharp pixel edges.
 * @param {CanvasRenderingContext2D} context
 * @param {Surface} surface
 * @param {Sampling} sampling
 */
export function laySurface(context, surface, { x_css, y_css, pixel_css, pixel_high_css }) {
  surface.context.putImageData(surface.image, 0, 0);
  context.imageSmoothingEnabled = false;
  const { canvas, width_px, height_px } = surface;
  context.drawImage(canvas, x_css, y_css, width_px * pixel_css, height_px * pixel_high_css);
}

/**
 * @typedef {import('./types.js').Sign} Sign
 *
 * @typedef {object} Still a frame below its marks
 * @property {readonly unknown[]} parts what it was drawn from
 * @property {OffscreenCanvas | null} picture null: drawn once, and not kept yet
 * @property {ReadonlySet<Sign>} seen
 */

/** @type {WeakMap<CanvasRenderingContext2D, Still>} */
const stills = new WeakMap();

/**
 * Draws what stays the same while one points, walks or chooses. Where it is drawn a second time from the same
 * parts, it is kept as a picture: each further frame copies the pixels and draws only its marks.
 * @param {CanvasRenderingContext2D} context
 * @param {import('./types.js').Viewport} viewport
 * @param {number} pixelRatio
 * @param {readonly unknown[]} parts what it is drawn from, beside the viewport
 * @param {(pen: CanvasRenderingContext2D) => Set<Sign>} draw the whole canvas; returns what is to be seen
 * @returns {Set<Sign>} what is to be seen
 */
export function drawStill(context, viewport, pixelRatio, parts, draw) {
  const all = [...parts, pixelRatio, ...Object.values(viewport)];
  const known = stills.get(context);
  if (known === undefined || known.parts.length !== all.length || known.parts.some((part, at) => part !== all[at])) {
    const seen = draw(context);
    stills.set(context, { parts: all, picture: null, seen });
    return new Set(seen);
  }
  known.picture ??= pictureOf(Math.round(viewport.width_css * pixelRatio), Math.round(viewport.height_css * pixelRatio), draw);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(known.picture, 0, 0);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  return new Set(known.seen);
}

/**
 * @param {number} width_px
 * @param {number} height_px
 * @param {(pen: CanvasRenderingContext2D) => Set<Sign>} draw
 */
function pictureOf(width_px, height_px, draw) {
  const picture = new OffscreenCanvas(Math.max(1, width_px), Math.max(1, height_px));
  const pen = picture.getContext('2d');
  if (pen === null) throw new Error('this browser gives no 2d canvas');
  // What is drawn here is drawn by both kinds of contexts in the same way.
  draw(/** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (pen)));
  return picture;
}

/**
 * @typedef {object} Sampling which cells the pixels of a surface stand for
 * @property {boolean} sampled a pixel stands for several cells; else for exactly one
 * @property {number} step_cells from one pixel to the next
 * @property {number} step_rows from one pixel to the one below: less than step_cells where rows are stretched
 * @property {number} firstColumn of pixel 0, fractional where sampled
 * @property {number} firstRow
 * @property {number} width_px
 * @property {number} height_px
 * @property {number} x_css where pixel 0 lies on the canvas
 * @property {number} y_css
 * @property {number} pixel_css width of a pixel
 * @property {number} pixel_high_css
 */

/**
 * One surface pixel per visible cell, or per device pixel where cells are smaller than that.
 * @param {import('./types.js').Viewport} viewport
 * @param {number} pixelRatio
 * @returns {Sampling}
 */
export function sampleViewport(viewport, pixelRatio) {
  const { column_css, row_css, left_cells, top_cells, inset_left_css, inset_top_css, columns, rows } = viewport;
  const width_css = Math.max(0, viewport.width_css - inset_left_css);
  const height_css = Math.max(0, viewport.height_css - inset_top_css);
  if (viewport.cell_css * pixelRatio >= 1) {
    const firstColumn = Math.floor(left_cells);
    const firstRow = Math.floor(top_cells);
    const endColumn = Math.min(columns, Math.ceil(left_cells + width_css / column_css));
    const endRow = Math.min(rows, Math.ceil(top_cells + height_css / row_css));
    return {
      sampled: false,
      step_cells: 1,
      step_rows: 1,
      firstColumn,
      firstRow,
      width_px: Math.max(1, endColumn - firstColumn),
      height_px: Math.max(1, endRow - firstRow),
      x_css: inset_left_css + (firstColumn - left_cells) * column_css,
      y_css: inset_top_css + (firstRow - top_cells) * row_css,
      pixel_css: column_css,
      pixel_high_css: row_css,
    };
  }
  const step_cells = 1 / (column_css * pixelRatio);
  const step_rows = 1 / (row_css * pixelRatio);
  /**
   * @param {number} window_css
   * @param {number} cells left of the grid
   * @param {number} step
   */
  const pixels = (window_css, cells, step) =>
    Math.max(1, Math.min(Math.ceil(window_css * pixelRatio), Math.ceil(cells / step)));
  return {
    sampled: true,
    step_cells,
    step_rows,
    firstColumn: left_cells + step_cells / 2,
    firstRow: top_cells + step_rows / 2,
    width_px: pixels(width_css, columns - left_cells, step_cells),
    height_px: pixels(height_css, rows - top_cells, step_rows),
    x_css: inset_left_css,
    y_css: inset_top_css,
    pixel_css: 1 / pixelRatio,
    pixel_high_css: 1 / pixelRatio,
  };
}

/**
 * Averages neighbouring samples: a pattern finer than a pixel becomes its mean colour instead of a
 * moiré pattern.
 * @param {Uint32Array} samples SAMPLES per pixel; 0 is the background
 * @param {number} back word of the background
 * @param {Uint32Array} out
 * @param {number} at
 * @param {number} count pixels
 */
export function averageSamples(samples, back, out, at, count) {
  for (let pixel = 0, from = 0; pixel < count; pixel += 1) {
    let redBlue = 0;
    let green = 0;
    for (const end = from + SAMPLES; from < end; from += 1) {
      const word = samples[from] || back;
      redBlue += word & 0xff00ff;
      green += (word >> 8) & 0xff;
    }
    // SAMPLES is 4: the means of red and blue are two shifts of one sum.
    out[at + pixel] = (0xff000000 | ((redBlue >> 2) & 0xff00ff) | ((green >> 2) << 8)) >>> 0;
  }
}

/** @type {Map<number, string>} */
const inks = new Map();
const MOST_INKS = 8192;

/**
 * The text colour that reads best on a pixel's colour.
 * @param {number} word
 * @returns {string}
 */
export function inkFor(word) {
  let ink = inks.get(word);
  if (ink === undefined) {
    if (inks.size >= MOST_INKS) inks.clear();
    ink = toCss(inkOn(fromWord(word)));
    inks.set(word, ink);
  }
  return ink;
}

/**
 * How a frame shares its searches: where each look at an element is a search and a frame has too many pixels, one
 * search stands for a square of pixels.
 * @param {import('./types.js').Painter} painter
 * @param {number} pixels
 * @returns {{side_px: number, budget: number}} the side of the square, and the steps of one search
 */
export function searchesOf({ searches }, pixels) {
  const side_px = searches ? Math.ceil(Math.sqrt((pixels * LEAST_BUDGET) / FRAME_BUDGET)) : 1;
  const share = Math.floor((FRAME_BUDGET * side_px ** 2) / pixels);
  return { side_px, budget: Math.max(LEAST_BUDGET, Math.min(MOST_BUDGET, share)) };
}

/**
 * Repeats the first pixel of each square along the row, and the row down the squares. Not called for squares of one
 * pixel: a call that only returns made the loop around it half as fast in V8.
 * @param {Uint32Array} words of a surface
 * @param {number} width_px
 * @param {number} at where the row begins, whose every `side_px`-th pixel is written
 * @param {number} count pixels of the row that show something
 * @param {number} side_px
 */
export function fillSquares(words, width_px, at, count, side_px) {
  for (let x = at; x < at + count; x += side_px) words.fill(words[x], x, Math.min(x + side_px, at + count));
  for (let row = 1; row < side_px; row += 1) words.copyWithin(at + row * width_px, at, at + width_px);
}
