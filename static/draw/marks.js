/** @typedef {import('./types.js').Theme} Theme */
/** @typedef {import('./types.js').Viewport} Viewport */
import { fontSizeFor, LEAST_BORDERED_CSS, SMALLEST_FONT_CSS } from '../core/grid/zoom.js';

/** Cells smaller than this have no text. */
export const LEAST_WRITTEN_CSS = 13;
export const LABEL_FONT_CSS = 11;
/** Width of a character of a label. */
export const CHARACTER_CSS = LABEL_FONT_CSS * 0.61;
const FULL_TEXT_CSS = 7.4;
const LEAST_RING_CSS = 9;
const HATCH_CSS = 6;
/** Half the length of the triangle that points at a cell outside the window. */
const BEYOND_CSS = 8;

/** @typedef {CanvasRenderingContext2D} Context */

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
 */
export function insideCells(context, viewport, draw) {
  const { inset_left_css, inset_top_css, width_css, height_css } = viewport;
  context.save();
  context.beginPath();
  context.rect(inset_left_css, inset_top_css, width_css - inset_left_css, height_css - inset_top_css);
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
function hatchOf(context, colour) {
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

/**
 * Marks of padding, gaps, shared, kept and undetermined addresses, collected first and painted together.
 * @param {number} cell_css
 */
export function createMarks(cell_css) {
  const hatched = new Path2D();
  const dots = new Path2D();
  const outlines = new Path2D();
  const corners = new Path2D();
  const crosses = new Path2D();
  const keptTiles = new Path2D();
  const keptBars = new Path2D();
  const inner = cell_css - 1;
  const dot = Math.max(1.2, Math.min(3, cell_css * 0.1));
  const corner = Math.min(9, Math.max(3, cell_css * 0.3));
  return {
    /** @param {number} x @param {number} y */
    padding(x, y) {
      hatched.rect(x, y, inner, inner);
    },
    /** @param {number} x @param {number} y */
    gap(x, y) {
      dots.rect(x + (inner - dot) / 2, y + (inner - dot) / 2, dot, dot);
      outlines.rect(x + 1.5, y + 1.5, inner - 3, inner - 3);
    },
    /** @param {number} x @param {number} y */
    shared(x, y) {
      corners.moveTo(x + inner, y);
      corners.lineTo(x + inner, y + corner);
      corners.lineTo(x + inner - corner, y);
      corners.closePath();
    },
    /** @param {number} x @param {number} y */
    kept(x, y) {
      if (cell_css >= LEAST_KEPT_CSS) traceKept(keptTiles, keptBars, x, y, inner);
    },
    /** @param {number} x @param {number} y */
    undetermined(x, y) {
      crosses.moveTo(x + inner * 0.3, y + inner * 0.3);
      crosses.lineTo(x + inner * 0.7, y + inner * 0.7);
      crosses.moveTo(x + inner * 0.7, y + inner * 0.3);
      crosses.lineTo(x + inner * 0.3, y + inner * 0.7);
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

/**
 * Separates the cells by lines of the background.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {Theme} theme
 */
export function separateCells(context, viewport, theme) {
  const { cell_css, left_cells, top_cells, inset_left_css, inset_top_css, width_css, height_css } = viewport;
  context.fillStyle = theme.background;
  // Lines fade in with the zoom instead of appearing suddenly.
  context.globalAlpha = Math.min(1, (cell_css - LEAST_BORDERED_CSS + 1) / 5);
  const firstX = inset_left_css + (Math.ceil(left_cells) - left_cells) * cell_css;
  for (let x = firstX; x <= width_css + cell_css; x += cell_css) {
    context.fillRect(x - 1, inset_top_css, 1, height_css);
  }
  const firstY = inset_top_css + (Math.ceil(top_cells) - top_cells) * cell_css;
  for (let y = firstY; y <= height_css + cell_css; y += cell_css) {
    context.fillRect(inset_left_css, y - 1, width_css, 1);
  }
  context.globalAlpha = 1;
}

/**
 * @typedef {object} Label
 * @property {string} text
 * @property {number} x_css centre of the cell
 * @property {number} y_css
 * @property {string} ink
 */

/**
 * Writes the texts of cells in one size, faded where the cells are almost too small.
 * @param {Context} context
 * @param {readonly Label[]} labels
 * @param {number} cell_css
 * @param {Theme} theme
 */
export function writeCells(context, labels, cell_css, theme) {
  const characters = labels.reduce((most, { text }) => Math.max(most, text.length), 1);
  const size_css = fontSizeFor(cell_css, characters);
  if (size_css < SMALLEST_FONT_CSS) return;
  context.font = `${size_css}px ${theme.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.globalAlpha = Math.min(1, (size_css - SMALLEST_FONT_CSS + 0.4) / (FULL_TEXT_CSS - SMALLEST_FONT_CSS));
  const inks = new Set(labels.map(({ ink }) => ink));
  for (const ink of inks) {
    context.fillStyle = ink;
    for (const label of labels) {
      if (label.ink === ink) context.fillText(label.text, label.x_css, label.y_css + size_css * 0.04);
    }
  }
  context.globalAlpha = 1;
}

/**
 * @typedef {'selected' | 'hovered' | 'related' | 'cursor'} Emphasis
 */

/**
 * A frame around a cell; a ring where the cell is too small to see.
 * @param {Context} context
 * @param {{x_css: number, y_css: number, size_css: number}} place
 * @param {Theme} theme
 * @param {Emphasis} emphasis
 */
export function emphasise(context, { x_css, y_css, size_css }, theme, emphasis) {
  const strong = emphasis === 'selected';
  const width = strong ? 2.5 : 1.5;
  const side = Math.max(size_css - 1, LEAST_RING_CSS);
  const x = x_css + (size_css - 1 - side) / 2;
  const y = y_css + (size_css - 1 - side) / 2;
  context.beginPath();
  if (size_css < LEAST_BORDERED_CSS) {
    context.arc(x + side / 2, y + side / 2, strong ? 8 : 6, 0, 2 * Math.PI);
  } else {
    context.rect(x + width / 2 - 1, y + width / 2 - 1, side + 2 - width, side + 2 - width);
  }
  context.setLineDash([]);
  context.strokeStyle = theme.background;
  context.lineWidth = width + 3;
  context.stroke();
  if (emphasis === 'related' || emphasis === 'cursor') context.setLineDash([4, 3]);
  context.strokeStyle = strong ? theme.select : theme.hover;
  context.lineWidth = width;
  context.stroke();
  context.setLineDash([]);
}

/**
 * A triangle at the edge of the window, in the direction of a cell that lies outside.
 * @param {Context} context
 * @param {Viewport} viewport
 * @param {{x_css: number, y_css: number, size_css: number}} place of the cell
 * @param {Theme} theme
 * @returns {boolean} false where the cell is in the window: nothing is drawn
 */
export function pointBeyond(context, viewport, { x_css, y_css, size_css }, theme) {
  const { inset_left_css, inset_top_css, width_css, height_css } = viewport;
  const [cellX, cellY] = [x_css + size_css / 2, y_css + size_css / 2];
  const margin = BEYOND_CSS + 3;
  const x = Math.max(inset_left_css + margin, Math.min(width_css - margin, cellX));
  const y = Math.max(inset_top_css + margin, Math.min(height_css - margin, cellY));
  if (cellX >= inset_left_css && cellX <= width_css && cellY >= inset_top_css && cellY <= height_css) return false;
  context.save();
  context.translate(x, y);
  context.rotate(Math.atan2(cellY - y, cellX - x));
  context.beginPath();
  context.moveTo(BEYOND_CSS, 0);
  context.lineTo(-BEYOND_CSS * 0.7, BEYOND_CSS * 0.8);
  context.lineTo(-BEYOND_CSS * 0.7, -BEYOND_CSS * 0.8);
  context.closePath();
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = theme.background;
  context.stroke();
  context.fillStyle = theme.select;
  context.fill();
  context.restore();
  return true;
}

/**
 * The least step between labels that do not overlap: one of 1, 2, 5, 10, … or a power of two.
 * @param {number} cell_css
 * @param {number} room_css a label needs
 * @param {boolean} binary
 * @returns {number}
 */
export function labelStep(cell_css, room_css, binary) {
  const least = room_css / cell_css;
  if (least <= 1) return 1;
  if (binary) return 2 ** Math.ceil(Math.log2(least));
  const decade = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * decade >= least) ?? 10;
  return factor * decade;
}
