/**
 * What the page remembers. Types only: nothing here runs.
 *
 * @typedef {import('../api/types.js').Description} Description
 * @typedef {import('../api/types.js').TensorFields} TensorFields
 * @typedef {import('../core/types.js').Tensor} Tensor
 * @typedef {import('../core/types.js').Values} Values
 *
 * @typedef {'a' | 'b'} Side
 *
 * @typedef {{cell_css: number, left_cells: number, top_cells: number}} ViewState
 *
 * @typedef {Record<'logical' | 'memory' | 'memoryB', Readonly<ViewState> | null>} Views null: the one to open with
 *
 * @typedef {object} PageState
 * @property {Readonly<TensorFields>} a
 * @property {Readonly<TensorFields> | null} b another layout of A's tensor: all but the layout is A's
 * @property {'auto' | 'line' | number} rowLength
 * @property {Readonly<Views>} view
 * @property {readonly number[] | null} selected
 * @property {string} colour 'auto', 'channel', 'linear', 'value' or a dimension's name
 * @property {string} text 'auto', 'linear', 'letter', 'value', 'address' or 'coords'
 * @property {string} sample name of a built-in sample, empty for none
 *
 * @typedef {object} Answer the last good answer of one side
 * @property {TensorFields} fields that were asked
 * @property {Description} description
 * @property {number} itemsize_bits of one element in memory
 * @property {Tensor | null} tensor null where drawing cannot follow
 * @property {string | null} undrawable why not
 *
 * @typedef {object} LoadedValues values of a picture or an array
 * @property {Values} values
 * @property {readonly number[]} shape
 * @property {string} label
 *
 * @typedef {object} PointedCell the cell that the pointer or the keyboard is on
 * @property {Side} side
 * @property {readonly number[] | null} coords null over padding and gaps
 * @property {number | null} address of that side; null where only coordinates are known
 */
export {};
