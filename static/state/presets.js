import { BLOCKS } from './examples/blocks.js';
import { ORDERS } from './examples/orders.js';
import { OWN } from './examples/own.js';
import { SHARED } from './examples/shared.js';
import { START } from './examples/start.js';
import { VIEWS } from './examples/views.js';
import { NO_COST } from './cost/link.js';
import { NO_VIEW } from './permalink.js';

/** @import { PageState } from './types.js' */
/** @import { TensorFields } from '../api/types.js' */

/**
 * Fields of the page as they are after a trial. `b`: the layout to compare with; `at`: the selected cell.
 * @typedef {Partial<TensorFields> & {
 *   b?: string, at?: readonly number[], row?: number | 'line', text?: string, colour?: string, sample?: string,
 * }} TrialFields
 *
 * One thing to try on an example. Upper and lower case and blanks do not count when `done` is compared, and
 * a layout may be written in another notation.
 * @typedef {object} Trial
 * @property {string} say one sentence: what to do
 * @property {Readonly<TrialFields>} done the fields that it changes, as they are afterwards
 * @property {string} see one sentence: what there is to see then
 *
 * A worked example.
 * @typedef {object} Preset
 * @property {string} title one thing to learn
 * @property {string} lesson id of the lesson that teaches it
 * @property {string} [source] the system from whose documents it comes
 * @property {string} see one sentence: what there is to see
 * @property {Partial<TensorFields> & {shape: string, layout: string}} a
 * @property {string} [b] layout to compare with
 * @property {readonly number[]} [at] the selected cell
 * @property {number | 'line'} [row]
 * @property {string} [sample]
 * @property {string} [text]
 * @property {string} [colour]
 * @property {'memories'} [show]
 * @property {number} [logical_css] side of a cell of the logical tensor, which then begins at its first cell; without it the whole is shown
 * @property {Trial} trial
 *
 * @typedef {{learn: string, presets: readonly Preset[]}} PresetGroup learn: what its examples teach
 */

/** @type {readonly PresetGroup[]} every worked example of the source documents, pictures and large tensors, in the order of a story */
export const PRESET_GROUPS = Object.freeze([START, ORDERS, BLOCKS, VIEWS, SHARED, OWN]);

/** All examples, one after another. */
export const PRESETS = Object.freeze(PRESET_GROUPS.flatMap(({ presets }) => presets));

/** The first example that a visitor sees. */
export const FIRST = PRESETS[0];

/**
 * The whole state of an example.
 * @param {Preset} preset
 * @returns {PageState}
 */
export function stateOf({ a, b, at, row, sample, text, colour, show, logical_css }) {
  const fields = fieldsOf(a);
  return Object.freeze({
    a: fields,
    b: b === undefined ? null : Object.freeze({ ...fields, layout: b }),
    rowLength: row ?? 'auto',
    apart: false,
    view: logical_css === undefined ? NO_VIEW : Object.freeze({ ...NO_VIEW, logical: startAt(logical_css) }),
    selected: at ?? null,
    walk: null,
    cost: NO_COST,
    colour: colour ?? 'auto',
    text: text ?? 'auto',
    sample: sample ?? '',
    show: show ?? '',
    tab: 'facts',
    side: 'a',
  });
}

/**
 * The example that the state shows, whatever cell is selected and however it is drawn.
 * @param {PageState} state
 * @returns {Preset | null}
 */
export function presetOf(state) {
  return (
    PRESETS.find(
      (preset) =>
        JSON.stringify(fieldsOf(preset.a)) === JSON.stringify(fieldsOf(state.a)) &&
        preset.b === state.b?.layout &&
        (preset.sample ?? '') === state.sample &&
        (preset.show ?? '') === state.show,
    ) ?? null
  );
}

/** @param {Partial<TensorFields> & {shape: string, layout: string}} given */
function fieldsOf({ shape, layout, dtype = 'float32', dims = '', steps = '', slice = '', elements = '' }) {
  return Object.freeze({ shape, layout, dtype, dims, steps, slice, elements });
}

/** @param {number} cell_css */
function startAt(cell_css) {
  return Object.freeze({ cell_css, left_cells: 0, top_cells: 0 });
}
