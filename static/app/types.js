/**
 * The values that pass between the session and the elements. Types only: nothing here runs.
 *
 * @typedef {import('../core/permalink.js').TensorFields} TensorFields
 * @typedef {import('../core/permalink.js').PageState} PageState
 * @typedef {import('../core/types.js').Integer} Integer
 * @typedef {import('../core/types.js').DescriptionJson} DescriptionJson
 * @typedef {import('../core/types.js').Tensor} Tensor
 * @typedef {import('../core/types.js').Values} Values
 * @typedef {import('../core/types.js').SliceDim} SliceDim
 *
 * @typedef {'a' | 'b'} Side
 * @typedef {'shape' | 'layout' | 'dtype' | 'dims' | 'slice' | 'elements' | 'other'} FieldName
 *
 * @typedef {{text?: string, reason?: string}} Notation
 * @typedef {{name: string, reason: string | null}} FormatName
 * @typedef {{system: string, text: string, same: boolean}} Reading one way to read the typed layout; the first was chosen
 *
 * @typedef {object} ReadAnswer what a pasted text says; null where it is silent
 * @property {readonly Integer[] | null} shape
 * @property {string | null} dtype
 * @property {string | {strides: readonly Integer[], offset: Integer} | null} layout
 * @property {string | null} system
 *
 * @typedef {DescriptionJson & {
 *   dtype: string,
 *   layout: string,
 *   strides: readonly Integer[] | null,
 *   byte_strides: readonly Integer[] | null,
 *   physical_shape: readonly Integer[] | null,
 *   buffer: {elements: Integer, bytes: Integer, per_system: Record<string, Integer>},
 *   properties: Record<string, boolean | null>,
 *   names: Record<string, readonly FormatName[]>,
 *   notations: Record<string, Notation>,
 *   code: Record<string, Notation>,
 *   readings: readonly Reading[],
 *   warnings: readonly string[],
 * }} Description the API's Description, numbers beyond 2^53 as strings
 *
 * @typedef {object} SliceAnswer what the API says of a slice
 * @property {readonly Integer[]} shape
 * @property {readonly Integer[]} offsets
 * @property {Description | null} view
 *
 * @typedef {object} FieldProblem a complaint that belongs beside one field
 * @property {FieldName} field
 * @property {string} message
 * @property {number | null} position in the text that was sent for the field
 *
 * @typedef {object} Answer the last good answer of one side
 * @property {TensorFields} fields that were asked
 * @property {Description} description
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
