/**
 * @typedef {object} TensorFields what was typed, kept as typed
 * @property {string} shape
 * @property {string} layout
 * @property {string} dtype
 * @property {string} dims empty: the API's default
 * @property {string} slice empty: none
 *
 * @typedef {{cell_css: number, left_cells: number, top_cells: number}} ViewState
 *
 * @typedef {object} PageState
 * @property {Readonly<TensorFields>} a
 * @property {Readonly<TensorFields> | null} b
 * @property {'auto' | 'line' | number} rowLength
 * @property {{logical: Readonly<ViewState> | null, memory: Readonly<ViewState> | null}} view null: fit
 * @property {readonly number[] | null} selected
 * @property {string} colour 'auto', 'channel', 'linear', 'value' or a dimension's name
 * @property {string} text 'auto', 'linear', 'letter', 'value', 'address' or 'coords'
 * @property {string} sample name of a built-in sample, empty for none
 */

/**
 * State of the page from a query string: bounded, with defaults, frozen.
 * @param {URLSearchParams | string} query
 * @returns {PageState}
 */
export function parseState(query) {
  throw new Error('not filled yet');
}

/**
 * The query string of a state, without '?', defaults left out.
 * @param {PageState} state
 * @returns {string}
 */
export function formatState(state) {
  throw new Error('not filled yet');
}
