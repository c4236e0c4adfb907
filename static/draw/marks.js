/** @import { Theme, Viewport } from './types.js' */
import { stepOfBlocks } from '../core/grid/blocks.js';
import { CHARACTER_PER_FONT, fontSizeFor, LEAST_BORDERED_CSS, SMALLEST_FONT_CSS } from '../core/grid/zoom.js';

/** Cells smaller than this have no outline of their own. */
export const LEAST_OUTLINED_CSS = 8;
/** Cells smaller than this have no text. */
export const LEAST_WRITTEN_CSS = 13;
export const LABEL_FONT_CSS = 12;
/** Width of a character of a label. */
export const CHARACTER_CSS = LABEL_FONT_CSS * 0.6;
const HATCH_CSS = 6;

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */

/**
 * Starts a frame: sets CSS pixels as units and fills the background.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {number} pixelRatio
 */
export function beginFrame(context, viewport, theme, pixelRatio) {
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, viewport.width_css, viewport.height_css);
}

/**
 * Draws over the cells only, not over the labels along the edges.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {() => void} draw
 * @param {number} [beyond_css] so far over the edges: frames lie around their cells
 */
export function insideCells(context, viewport, draw, beyond_css = 0) {
  const { inset_left_css, inset_top_css, width_css, height_css } = viewport;
  const left_css = inset_left_css - beyond_css;
  const top_css = inset_top_css - beyond_css;
  context.save();
  context.beginPath();
  context.rect(left_css, top_css, width_css - left_css, height_css - top_css);
  context.clip();
  draw();
  context.restore();
}

/** @type {Map<string, OffscreenCanvas>} */
const hatches = new Map();

/**
 * @param {Context} context
 * @param {string} colour
 * @returns {CanvasPattern | string} diagonal lines
 */
export function hatchOf(context, colour) {
  let tile = hatches.get(colour);
  if (tile === undefined) {
    tile = new OffscreenCanvas(HATCH_CSS, HATCH_CSS);
    const pen = tile.getContext('2d');
    if (pen !== null) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.1;
      for (const shift of [-HATCH_CSS, 0, HATCH_CSS]) {
        pen.moveTo(shift - 1, HATCH_CSS + 1);
        pen.lineTo(shift + HATCH_CSS + 1, -1);
      }
      pen.stroke();
    }
    hatches.set(colour, tile);
  }
  return context.createPattern(tile, 'repeat') ?? colour;
}

/** Cells smaller than this do not carry the mark of an element that keeps its address. */
export const LEAST_KEPT_CSS = 14;

/**
 * The mark of an element that lies at the same address in both layouts: an equals sign on a small
 * tile in the lower left corner of its cell. A legend may draw it, too: fill the tile with the
 * background, then the bars with the text's colour.
 * @param {Path2D} tile
 * @param {Path2D} bars
 * @param {number} x_css upper left corner of the cell
 * @param {number} y_css
 * @param {number} side_css of the cell
 */
export function traceKept(tile, bars, x_css, y_css, side_css) {
  const length = side_css < 24 ? 5 : 7;
  const x = Math.round(x_css);
  const bottom = Math.round(y_css + side_css);
  tile.rect(x, bottom - 6, length + 2, 6);
  for (const up of [5, 2]) bars.rect(x + 1, bottom - up, length, 1);
}

/** @typedef {{left: number, right: number, top: number, bottom: number}} Lost CSS pixels that gaps take from a cell */
/** @type {Lost} */
const NOTHING_LOST = Object.freeze({ left: 0, right: 0, top: 0, bottom: 0 });

/**
 * Marks of padding, gaps, shared, kept and undetermined addresses and the outlines of pale cells,
 * collected first and painted together.
 * @param {number} cell_css height of a cell
 * @param {number} [wide_css] its width
 */
export function createMarks(cell_css, wide_css = cell_css) {
  /** @type {Map<string, Path2D>} */
  const edges = new Map();
  const hatched = new Path2D();
  const dots = new Path2D();
  const outlines = new Path2D();
  const corners = new Path2D();
  const crosses = new Path2D();
  /** @type {Set<import('./types.js').Sign>} */
  const seen = new Set();
  const keptTiles = new Path2D();
  const keptBars = new Path2D();
  const inner = cell_css - 1;
  const wide = wide_css - 1;
  const dot = Math.max(1.2, Math.min(3, cell_css * 0.1));
  const corner = Math.min(9, Math.max(3, cell_css * 0.3));
  return {
    /** The kinds of marks that were collected. */
    seen,
    /** @param {number} x @param {number} y @param {Lost} [lost] */
    padding(x, y, { left, right, top, bottom } = NOTHING_LOST) {
      seen.add('padding');
      hatched.rect(x + left, y + top, wide - left - right, inner - top - bottom);
    },
    /** @param {number} x @param {number} y */
    gap(x, y) {
      seen.add('gap');
      dots.rect(x + (wide - dot) / 2, y + (inner - dot) / 2, dot, dot);
      outlines.rect(x + 1.5, y + 1.5, wide - 3, inner - 3);
    },
    /** @param {number} x @param {number} y */
    shared(x, y) {
      seen.add('shared');
      corners.moveTo(x + wide, y);
      corners.lineTo(x + wide, y + corner);
      corners.lineTo(x + wide - corner, y);
      corners.closePath();
    },
    /** @param {number} x @param {number} y @param {string} colour @param {Lost} [lost] */
    outline(x, y, colour, { left, right, top, bottom } = NOTHING_LOST) {
      let path = edges.get(colour);
      if (path === undefined) {
        path = new Path2D();
        edges.set(colour, path);
      }
      path.rect(x + 0.5 + left, y + 0.5 + top, wide - 1 - left - right, inner - 1 - top - bottom);
    },
    /** @param {number} x @param {number} y */
    kept(x, y) {
      if (cell_css < LEAST_KEPT_CSS) return;
      seen.add('kept');
      traceKept(keptTiles, keptBars, x, y, inner);
    },
    /** @param {number} x @param {number} y */
    undetermined(x, y) {
      seen.add('undetermined');
      crosses.moveTo(x + wide * 0.3, y + inner * 0.3);
      crosses.lineTo(x + wide * 0.7, y + inner * 0.7);
      crosses.moveTo(x + wide * 0.7, y + inner * 0.3);
      crosses.lineTo(x + wide * 0.3, y + inner * 0.7);
    },
    /**
     * After the texts: the tile may lie over a corner of one.
     * @param {Context} context @param {Theme} theme
     */
    paintKept(context, theme) {
      context.fillStyle = theme.background;
      context.fill(keptTiles);
      context.fillStyle = theme.text;
      context.fill(keptBars);
    },
    /** @param {Context} context @param {Theme} theme */
    paint(context, theme) {
      context.fillStyle = hatchOf(context, theme.hatch);
      context.fill(hatched);
      context.lineWidth = 1;
      for (const [colour, path] of edges) {
        context.strokeStyle = colour;
        context.stroke(path);
      }
      context.strokeStyle = theme.line;
      context.stroke(outlines);
      context.fillStyle = theme.muted;
      context.fill(dots);
      context.strokeStyle = theme.muted;
      context.stroke(crosses);
      // A line of the background colour around the corner makes it visible on every colour.
      context.fillStyle = theme.text;
      context.fill(corners);
      context.strokeStyle = theme.background;
      context.stroke(corners);
    },
  };
}

/** No gaps between smaller cells. */
export const LEAST_GAPPED_CSS = 14;

/**
 * Separates the cells by lines of the background, and what belongs together by gaps.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 * @param {import('../core/types.js').Gaps} [gaps]
 */
export function separateCells(context, viewport, theme, gaps) {
  const { cell_css, column_css, left_cells, top_cells, inset_left_css, inset_top_css, width_css, height_css } = viewport;
  context.fillStyle = theme.background;
  // Lines fade in with the zoom instead of appearing suddenly.
  context.globalAlpha = Math.min(1, (cell_css - LEAST_BORDERED_CSS + 1) / 5);
  const firstX = inset_left_css + (Math.ceil(left_cells) - left_cells) * column_css;
  for (let x = firstX; x <= width_css + column_css; x += column_css) {
    context.fillRect(x - 1, inset_top_css, 1, height_css);
  }
  const firstY = inset_top_css + (Math.ceil(top_cells) - top_cells) * cell_css;
  for (let y = firstY; y <= height_css + cell_css; y += cell_css) {
    context.fillRect(inset_left_css, y - 1, width_css, 1);
  }
  context.globalAlpha = 1;
  if (!gaps) return;
  // Half of a gap is taken from the cells on either side: the grid keeps its pitch.
  for (const { cells, share, most_css } of gaps.columns) {
    const wide_css = Math.min(most_css, column_css * share);
    for (let column = Math.floor(left_cells / cells + 1) * cells; (column - left_cells) * column_css < width_css; column += cells) {
      context.fillRect(inset_left_css + (column - left_cells) * column_css - 0.5 - wide_css / 2, inset_top_css, wide_css, height_css);
    }
  }
  for (const { cells, share, most_css } of gaps.rows) {
    const high_css = Math.min(most_css, cell_css * share);
    for (let row = Math.floor(top_cells / cells + 1) * cells; (row - top_cells) * cell_css < height_css; row += cells) {
      context.fillRect(inset_left_css, inset_top_css + (row - top_cells) * cell_css - 0.5 - high_css / 2, width_css, high_css);
    }
  }
}

/**
 * @typedef {object} Label
 * @property {string} text
 * @property {number} x_css centre of the cell
 * @property {number} y_css
 * @property {string} ink
 */

/**
 * Writes the texts of cells in one size, not at all where they are too small; none that the window would cut.
 * @param {Context} context
 * @param {readonly Label[]} labels
 * @param {Pick<Viewport, 'cell_css' | 'column_css'> & Partial<Viewport>} cell
 * @param {Theme} theme
 * @returns {boolean} whether there is a text
 */
export function writeCells(context, labels, { cell_css, column_css, inset_left_css = -Infinity, width_css = Infinity }, theme) {
  const characters = labels.reduce((most, { text }) => Math.max(most, text.length), 1);
  // In half pixels: a browser looks for a font of each new size, which takes as long as all the texts.
  const size_css = Math.floor(fontSizeFor(cell_css, characters, column_css) * 2) / 2;
  if (size_css < SMALLEST_FONT_CSS || labels.length === 0) return false;
  context.font = `${size_css}px ${theme.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const inks = new Set(labels.map(({ ink }) => ink));
  for (const ink of inks) {
    context.fillStyle = ink;
    for (const label of labels) {
      const half_css = (label.text.length * size_css * CHARACTER_PER_FONT) / 2;
      const whole = label.x_css - half_css >= inset_left_css && label.x_css + half_css <= width_css;
      if (label.ink === ink && whole) context.fillText(label.text, label.x_css, label.y_css + size_css * 0.04);
    }
  }
  return true;
}

/**
 * The mark where a cache line begins, at the left edge of its first cell.
 * @param {Context} context
 * @param {import('../core/types.js').Place} place
 * @param {number} least_css left end of the cells
 */
export function markLine(context, { x_css, y_css, size_css }, least_css) {
  context.fillRect(Math.max(x_css - 1.5, least_css), y_css - 1, 2, Math.max(3, size_css * 0.28));
}

/**
 * Writes the coordinate of the chosen cell over its label on an edge, in bold.
 * @param {Context} context
 * @param {Theme} theme
 * @param {string} text
 * @param {number} x_css
 * @param {number} y_css middle
 * @param {'center' | 'right'} align
 */
export function writeChosenTick(context, theme, text, x_css, y_css, align) {
  context.font = `700 ${LABEL_FONT_CSS}px ${theme.font}`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  const wide_css = context.measureText(text).width;
  context.fillStyle = theme.background;
  context.fillRect(x_css - (align === 'right' ? wide_css + 1 : wide_css / 2 + 3), y_css - LABEL_FONT_CSS / 2, wide_css + (align === 'right' ? 2 : 6), LABEL_FONT_CSS);
  context.fillStyle = theme.text;
  context.fillText(text, x_css, y_css);
}

/**
 * The least step between labels that do not overlap: one that meets where blocks begin, else one of 1, 2, 5, 10, … or a
 * power of two.
 * @param {number} cell_css
 * @param {number} room_css a label needs
 * @param {boolean} binary
 * @param {readonly number[]} [blocks] cells of one, the shorter first
 * @returns {number}
 */
export function labelStep(cell_css, room_css, binary, blocks = []) {
  const least = room_css / cell_css;
  if (least <= 1) return 1;
  const aligned = stepOfBlocks(blocks, least);
  if (aligned > 0) return aligned;
  if (binary) return 2 ** Math.ceil(Math.log2(least));
  const decade = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * decade >= least) ?? 10;
  return factor * decade;
}
