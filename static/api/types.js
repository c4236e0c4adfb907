/**
 * What is asked of the API and what it answers. Types only: nothing here runs.
 *
 * @typedef {import('../core/types.js').Integer} Integer
 * @typedef {import('../core/types.js').DescriptionJson} DescriptionJson
 * @typedef {import('../core/types.js').SliceDim} SliceDim
 *
 * @typedef {object} TensorFields what was typed, kept as typed
 * @property {string} shape
 * @property {string} layout
 * @property {string} dtype
 * @property {string} dims empty: the API's default
 * @property {string} steps of a view, such as "permute(0,2,1).reshape(2,-1)"; empty: none
 * @property {string} slice of the view; empty: none
 * @property {string} elements the buffer's size, empty: the least
 *
 * @typedef {'shape' | 'layout' | 'dtype' | 'dims' | 'steps' | 'slice' | 'elements' | 'other'} FieldName
 *
 * @typedef {object} FieldProblem an error message that is shown beside one field
 * @property {FieldName} field
 * @property {string} message
 * @property {number | null} position of the character at fault, in the text that was sent
 * @property {string} [code] of the message, which stays when its words change
 * @property {number} [sizes] how many the layout needs, where the shape has another number of them
 * @property {string} [full] a shape of so many sizes, which the layout's blocks fill; empty where none is known
 * @property {string} [path] of the value at fault in the request, as graph.nodes[3].op
 * @property {number} [step] index of the step at fault
 * @property {string} [part] the step's parameter at fault
 *
 * @typedef {{text?: string, reason?: string}} Notation
 *
 * @typedef {object} FormatName a named format that the digits satisfy
 * @property {string} name
 * @property {string | null} reason the cause as a sentence; the page writes its own
 * @property {'size_one' | 'same_memory' | null} cause why other names fit as well; null where none does
 * @property {readonly string[]} ones the dimensions of size 1, for the cause size_one; else empty
 * @property {readonly string[]} rivals names of the same system that fit as well
 *
 * @typedef {object} Reading one way to read the typed layout; the first one was used
 * @property {string} system
 * @property {string} text
 * @property {boolean} same whether it gives the same memory in the same shape as the first
 * @property {readonly Integer[] | null} shape with leading ones, where it gives the same memory in that shape
 *
 * @typedef {object} FoundTensor one tensor of a pasted text; null for what the text does not say
 * @property {string | null} role its name in the text, as src or x; "sizes as NHWC" where their order is open and both are listed
 * @property {string | null} source the primitive of a log's line
 * @property {number} line the first that names it, from 1
 * @property {number} times how often the text repeats it
 * @property {readonly Integer[] | null} shape
 * @property {string | null} dtype
 * @property {string | null} layout
 * @property {readonly Integer[] | null} strides the layout's, in the unit of its text, where it is a list of strides
 * @property {string | null} dims
 * @property {readonly number[] | null} itemsizes for strides in bytes without a type: sizes of an element that fit, likeliest first; or the one that the text says
 * @property {string | null} in_elements the layout if strides that are read as bytes count elements, where the text says neither
 * @property {Integer | null} [least_offset] the layout's offset, in the unit of its text, where the text names none and strides are below 0
 * @property {number | null} target index of the tensor that a reorder writes, for its source
 * @property {string | null} problem why it cannot be read
 * @property {string | null} [system] whose text it is
 * @property {string | null} [copied] why its calls copy the elements, so that it is no view
 * @property {{shape: readonly Integer[], layout: string, steps: ReadAnswer['steps']} | null} [base] the tensor that it is a view of, and the steps
 *
 * @typedef {object} ReadAnswer what a pasted text says; null for what it does not say
 * @property {readonly Integer[] | null} shape of the first tensor that can be read, like the next two
 * @property {string | null} dtype
 * @property {string | null} layout
 * @property {readonly Integer[] | null} strides
 * @property {string | null} system
 * @property {string | null} [run] what /run reads it as
 * @property {readonly FoundTensor[]} tensors
 * @property {number} left_out how many more tensors the text has
 * @property {readonly Readonly<{op: string} & Record<string, Integer | string | readonly Integer[]>>[]} steps of views without a tensor
 * @property {Integer | null} [least_offset] as of a FoundTensor
 * @property {readonly string[]} [unread] parts of the text that no tensor explains
 *
 * @typedef {DescriptionJson & {
 *   dtype: string,
 *   layout: string,
 *   strides: readonly Integer[] | null,
 *   byte_strides: readonly Integer[] | null,
 *   physical_shape: readonly Integer[] | null,
 *   buffer: {elements: Integer, bytes: Integer, per_system: Record<string, Integer | null>, reasons: Record<string, string>},
 *   properties: Record<string, boolean | null>,
 *   not_applicable: readonly string[],
 *   names: Record<string, readonly FormatName[]>,
 *   notations: Record<string, Notation>,
 *   code: Record<string, Notation>,
 *   readings: readonly Reading[],
 *   system: string | null,
 *   warnings: readonly string[],
 *   written?: string | readonly string[],
 * }} Description the API's Description, numbers beyond 2^53 as strings; written: the letters that its texts have, where dims has others
 *
 * @typedef {SliceDim & {dim: number | null, kept: boolean}} Pick what a slice takes along one axis; dim null: a new
 *   axis of size 1; kept false: an integer index, whose axis goes away
 *
 * @typedef {object} SliceAnswer what the API says of a slice
 * @property {readonly Integer[]} shape
 * @property {readonly Integer[]} offsets of the first elements: as many as were asked for
 * @property {Description | null} view
 * @property {readonly Pick[]} picks every dimension of the tensor once, in order
 *
 * @typedef {object} StepResult the layout after a step of a view, in short
 * @property {readonly Integer[]} shape
 * @property {string} dims
 * @property {Integer} offset
 * @property {readonly Integer[] | null} strides
 * @property {readonly (readonly {extent: Integer, stride: Integer}[])[]} digits
 *
 * @typedef {object} Jump where a new dimension would need two strides; dimensions of the tensor before the step
 * @property {number} outer the dimension whose stride does not continue the others
 * @property {number} inner the first of those that continue each other
 * @property {number} last the last of them
 * @property {Integer} step distance of neighbours in inner to last
 * @property {Integer} stride of outer
 * @property {Integer} needed the stride with which outer would continue them
 * @property {number} into the new dimension
 *
 * @typedef {object} Breaks the step that needs a copy
 * @property {number} step
 * @property {string} op
 * @property {string} reason
 * @property {number | null} dim at fault
 * @property {Jump | null} jump
 * @property {Description} before the tensor before the step
 *
 * @typedef {object} ViewAnswer what the API says of steps
 * @property {Description | null} tensor null where a step needs a copy
 * @property {readonly StepResult[]} results
 * @property {Breaks | null} breaks
 *
 * @typedef {{system: string, name: string, dims: string, rank: number, summary: string}} Format a named format
 * @typedef {{formats: readonly Format[], systems: readonly string[]}} Catalogue of GET /formats
 */
export {};
