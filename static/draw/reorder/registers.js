/** @import { Theme } from '../types.js' */
/** @import { Registers, Lane } from '../../core/schedule/registers.js' */
import { hatchOf } from '../marks.js';

const GAP_CSS = 26;
const LABEL_CSS = 16;
const LEAST_TEXT_CSS = 15;
const LEAST_CELL_CSS = 6;

/**
 * The size of the picture of a tile's registers, for a width.
 * @param {Registers} registers
 * @param {number} width_css
 * @returns {{cell_css: number, across: number, width_css: number, height_css: number}} across: stages side by side
 */
export function registersSize({ stages, lanes }, width_css) {
  const rows = stages[0].length;
  const fitting = (/** @type {number} */ across) => Math.floor((width_css - (across - 1) * GAP_CSS) / (across * lanes));
  // Stages stand side by side where their cells can then be told apart, else below each other.
  const across = [stages.length, Math.ceil(stages.length / 2), Math.ceil(stages.length / 3), 1].find((count) => fitting(count) >= LEAST_CELL_CSS) ?? 1;
  const cell_css = Math.max(4, Math.min(30, fitting(across)));
  const lines = Math.ceil(stages.length / across);
  return {
    cell_css,
    across,
    width_css: across * lanes * cell_css + (across - 1) * GAP_CSS,
    height_css: lines * (rows * cell_css + LABEL_CSS + 8),
  };
}

/**
 * The registers of one tile: as loaded, after each round of interleaving, and as stored.
 * @param {CanvasRenderingContext2D} context
 * @param {Registers} registers
 * @param {{width_css: number, theme: Theme, pixelRatio: number, target: number, colourOf: (lane: Lane) => {fill: string, ink: string, text: string} | null}} scene
 *   target: address of the present unit; colourOf: null for zeros of padding
 */
export function drawRegisters(context, registers, { width_css, theme, pixelRatio, target, colourOf }) {
  const { stages, lanes } = registers;
  const { cell_css, across } = registersSize(registers, width_css);
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  const rows = stages[0].length;
  const pitch_css = lanes * cell_css + GAP_CSS;
  for (const [at, stage] of stages.entries()) {
    const x0 = (at % across) * pitch_css;
    const y0 = Math.floor(at / across) * (rows * cell_css + LABEL_CSS + 8);
    context.fillStyle = theme.muted;
    context.font = `11px ${theme.font}`;
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    context.fillText(stageName(at, stages.length), x0, y0 + 11);
    if ((at + 1) % across !== 0 && at + 1 < stages.length) arrow(context, theme, x0 + lanes * cell_css, y0 + LABEL_CSS + (rows * cell_css) / 2);
    for (const [row, register] of stage.entries()) {
      for (const [lane, unit] of register.entries()) {
        drawUnit(context, theme, unit, unit.kept ? colourOf(unit) : null, x0 + lane * cell_css, y0 + LABEL_CSS + row * cell_css, cell_css, unit.kept && unit.target === target);
      }
      context.strokeStyle = theme.muted;
      context.lineWidth = 1;
      context.strokeRect(x0 - 0.5, y0 + LABEL_CSS + row * cell_css - 0.5, lanes * cell_css, cell_css);
    }
  }
  for (const [at, stage] of stages.entries()) {
    const x0 = (at % across) * pitch_css;
    const y0 = Math.floor(at / across) * (rows * cell_css + LABEL_CSS + 8) + LABEL_CSS;
    mark(context, theme, stage, target, x0, y0, cell_css);
  }
}

/**
 * @param {number} at
 * @param {number} count
 */
function stageName(at, count) {
  if (at === 0) return 'loaded';
  return at === count - 1 ? 'stored' : `round ${at}`;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {Lane} unit
 * @param {{fill: string, ink: string, text: string} | null} colour
 * @param {number} x
 * @param {number} y
 * @param {number} side
 * @param {boolean} present
 */
function drawUnit(context, theme, unit, colour, x, y, side, present) {
  if (!unit.kept) {
    context.fillStyle = theme.muted;
    context.fillRect(x + side / 2 - 1, y + side / 2 - 1, 2, 2);
    return;
  }
  context.fillStyle = colour ? colour.fill : hatchOf(context, theme.hatch);
  context.fillRect(x, y, side - 1, side - 1);
  const text = colour ? colour.text : '0';
  if (side < LEAST_TEXT_CSS || text.length > 4) return;
  const font_css = Math.min(side * 0.46, (side * 0.9) / (text.length * 0.62), 13);
  if (font_css < 6.6) return;
  context.font = `${present ? 'bold ' : ''}${font_css}px ${theme.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = colour ? colour.ink : theme.text;
  context.fillText(text, x + (side - 1) / 2, y + side / 2);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {readonly (readonly Lane[])[]} stage
 * @param {number} target
 * @param {number} x0
 * @param {number} y0
 * @param {number} side
 */
function mark(context, theme, stage, target, x0, y0, side) {
  for (const [row, register] of stage.entries()) {
    for (const [lane, unit] of register.entries()) {
      if (!unit.kept || unit.target !== target) continue;
      for (const [colour, width] of /** @type {const} */ ([[theme.background, 4], [theme.select, 2]])) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.strokeRect(x0 + lane * side - 0.5, y0 + row * side - 0.5, side, side);
      }
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Theme} theme
 * @param {number} x
 * @param {number} y
 */
function arrow(context, theme, x, y) {
  context.fillStyle = theme.muted;
  context.beginPath();
  context.moveTo(x + GAP_CSS / 2 - 4, y - 5);
  context.lineTo(x + GAP_CSS / 2 + 5, y);
  context.lineTo(x + GAP_CSS / 2 - 4, y + 5);
  context.closePath();
  context.fill();
}
