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
 * @typedef {Readonly<ViewState> | 'fit' | null} View 'fit': the whole grid, at any size of its window; null: the opening view
 *
 * @typedef {Record<'logical' | 'memory' | 'memoryB', View>} Views memoryB: only while A and B are apart
 *
 * @typedef {object} PageState
 * @property {Readonly<TensorFields>} a
 * @property {Readonly<TensorFields> | null} b the second layout; all other fields are those of A, but the type that a text gave it
 * @property {'auto' | 'line' | number} rowLength
 * @property {boolean} apart B has a row length, zoom and origin of its own, not those of A
 * @property {Readonly<Views>} view
 * @property {readonly number[] | null} selected
 * @property {Readonly<{order: string, step: number}> | null} walk order: 'memory', 'memory b', 'logical', or the
 *   dimensions as loops, outermost first; null: nobody walks
 * @property {Readonly<CostState>} cost what is counted
 * @property {string} colour '@line', '@page', '@sector' or '@bank'; 'auto', 'channel', 'linear', 'value' or a dimension's name
 * @property {string} text 'auto', 'linear', 'letter', 'value', 'address' or 'coords'
 * @property {string} sample name of a built-in sample, empty for none
 * @property {'' | 'memories'} show what is in place of the grids: a picture as three memories
 * @property {'facts' | 'notations' | 'code' | 'cost'} tab of the facts
 * @property {Side} side whose facts are shown while there is a B
 *
 * @typedef {object} CostState what the reader asks to be counted
 * @property {'walk' | 'warp'} what
 * @property {string} order of the loops; empty: the logical order
 * @property {number} line_bytes
 * @property {number} page_bytes
 * @property {number} cache_bytes 0: no cache
 * @property {number} ways
 * @property {string} along the dimension of neighbouring lanes; empty: the last
 * @property {number} vector elements of a lane
 * @property {'global' | 'shared'} space
 *
 * @typedef {object} Answer the last good answer of one side
 * @property {TensorFields} fields that were sent
 * @property {Description} description of the tensor, or of its view after the steps
 * @property {import('../api/view-chain.js').ViewChain | null} chain null without steps
 * @property {number} itemsize_bits of one element in memory
 * @property {Tensor | null} tensor the described one; null where it cannot be drawn
 * @property {{description: Description, tensor: Tensor | null}} memory the tensor before the steps, which fills the memory
 * @property {string | null} undrawable the reason
 *
 * @typedef {import('../api/types.js').FieldProblem & {about: import('../api/types.js').FieldName}} ShownProblem an error
 *   beside a field, and the field that the API named
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
