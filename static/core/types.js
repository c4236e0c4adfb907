/**
 * The values that the parts of the page exchange. Types only: nothing here runs.
 *
 * @typedef {number | string} Integer an integer of the API: a string where it exceeds 2^53
 *
 * @typedef {object} DescriptionJson the parts of the API's Description that the drawing reads
 * @property {readonly Integer[]} shape
 * @property {string | readonly string[]} dims
 * @property {readonly (readonly {extent: Integer, stride: Integer}[])[]} digits outermost first
 * @property {Integer} offset
 * @property {Swizzle | null} [swizzle]
 * @property {readonly Integer[] | null} [padded_shape]
 * @property {{elements: Integer}} buffer
 * @property {{overlapping?: boolean | null}} [properties]
 *
 * @typedef {object} Digit
 * @property {number} extent
 * @property {number} stride in elements
 *
 * @typedef {Digit & {weight: number}} PlacedDigit weight: coordinate units per digit unit
 *
 * @typedef {object} Swizzle one XOR over the address: the bits from base+shift on change those from base on
 * @property {number} bits
 * @property {number} base
 * @property {number} shift at least `bits` in size; negative: the lower bits change the upper ones
 *
 * @typedef {object} Loop one digit with the coordinate step that it stands for
 * @property {number} dim
 * @property {number} extent
 * @property {number} stride in elements, positive
 * @property {boolean} flipped whether the layout's own stride is negative
 * @property {number} weight coordinate units per digit unit
 *
 * @typedef {'element' | 'shared' | 'padding' | 'gap' | 'outside' | 'undetermined'} OwnerKind
 *
 * @typedef {object} Owner who owns an address
 * @property {OwnerKind} kind
 * @property {readonly number[] | null} coords of the first owner in row-major order; for padding, beyond the shape
 * @property {number} count logical elements at this address; where undetermined, those found so far
 *
 * @typedef {object} Tensor a layout as the drawing needs it; frozen, addresses below 2^53
 * @property {readonly number[]} shape
 * @property {readonly string[]} dims
 * @property {readonly (readonly PlacedDigit[])[]} digits outermost first
 * @property {number} offset in elements
 * @property {Swizzle | null} swizzle
 * @property {readonly number[]} paddedShape
 * @property {number} elements logical count
 * @property {number} bufferElements
 * @property {boolean} nested every stride exceeds all that the smaller ones reach: owners need no search
 * @property {number} origin least address of the padded domain before the swizzle, in elements
 * @property {readonly Loop[]} loops extents over 1 with non-zero strides, largest stride first
 * @property {(coords: readonly number[]) => number} addressOf
 * @property {(address: number, budget?: number) => Owner} ownerOf budget: the most steps of a search, where strides interleave
 * @property {boolean} shares false where no two elements can share an address
 * @property {(coords: readonly number[], budget?: number) => readonly number[]} firstOwner the first
 *   coordinates in row-major order at the same address, which stand for what is stored there; budget:
 *   as for ownerOf, and where it is used up, the first that were found
 * @property {((dim: number, coordinate: number) => number) | null} firstAlong one coordinate of firstOwner;
 *   null where it depends on the other dimensions
 * @property {(coords: readonly number[], budget?: number) => number} storedIndexOf the elements in memory
 *   counted once each, by their first owners in row-major order; in a tensor of over 2^20 coordinates
 *   whose strides interleave, the row-major index of the first owner
 * @property {() => number} storedElements how many storedIndexOf counts
 * @property {(coords: readonly number[]) => number} linearOf row-major logical index
 * @property {(linear: number) => number[]} coordsOf
 *
 * @typedef {object} Viewport a window of width_css x height_css onto a grid of square cells
 * @property {number} width_css
 * @property {number} height_css
 * @property {number} label_left_css room for the labels of the left edge
 * @property {number} label_top_css room for the labels of the upper edge
 * @property {number | null} start_left_css where a zoom has put a grid that is smaller than its window, after the labels; null for the middle
 * @property {number | null} start_top_css the same from above
 * @property {number} inset_left_css where the cells begin: right of the labels, further where the grid is smaller than its window
 * @property {number} inset_top_css the same from above
 * @property {number} columns of the whole grid, in cells (may be fractional for the logical grid)
 * @property {number} rows of the whole grid, in cells
 * @property {number} most_wide the most that cells are wider than high, where there is room; 1 for squares
 * @property {number | null} wide how much wider than high they are in the window that this one follows; null where it follows none
 * @property {number} cell_css height of a cell; below 1 when a pixel stands for several cells
 * @property {number} column_css from column to column: cell_css, or more where cells are wide or a very thin grid is stretched
 * @property {number} row_css from row to row
 * @property {number} left_cells first visible column, fractional
 * @property {number} top_cells first visible row, fractional
 *
 * @typedef {{column: number, row: number}} Cell
 * @typedef {{firstColumn: number, endColumn: number, firstRow: number, endRow: number}} CellRange
 * @typedef {'text' | 'cells' | 'texture' | 'all'} ZoomStep cells with text; single cells; a few pixels a cell; the whole grid
 *
 * @typedef {{x_css: number, y_css: number, wide_css: number, size_css: number}} Place of a cell in its window; size_css: its height
 *
 * @typedef {object} Gap after so many cells; as wide as a share of a cell
 * @property {number} cells
 * @property {number} share
 * @property {number} most_css
 *
 * @typedef {{columns: readonly Gap[], rows: readonly Gap[]}} Gaps between what belongs together
 *
 * @typedef {object} LogicalGrid where the planes of the logical tensor lie, in cell units
 * @property {readonly number[]} order the dimensions, those of a plane last
 * @property {number} planeRows
 * @property {number} planeColumns
 * @property {number} planes count
 * @property {number} gap_columns between planes
 * @property {number} gap_rows between planes, with room for a label
 * @property {number} pitchColumns from plane to plane
 * @property {number} pitchRows from plane to plane
 * @property {number} planesAcross
 * @property {number} slots planes of the last outer dimension, with those of padding
 * @property {number} columns of the whole grid
 * @property {number} rows of the whole grid
 * @property {(coords: readonly number[]) => Cell} cellOf
 * @property {(column: number, row: number) => number[] | null} coordsAt null between planes
 * @property {(column: number, row: number) => number[] | null} nearestAt the same; between planes the cell before
 * @property {(plane: number) => Cell} originOf
 * @property {(plane: number) => number[]} outerOf coordinates of the outer dimensions
 * @property {(line: number, place: number) => number} planeIn plane of a line of planes; -1 where there is none
 * @property {(plane: number) => string} labelOf such as "n 0 c 3", without a dimension of size 1 before the last; empty for rank 2 and less
 * @property {(range: CellRange) => number[]} planesIn planes that touch the range, the first 4096
 * @property {(range: CellRange) => {column: number, row: number, text: string}[]} paddedIn places of planes that padding takes, as planesIn
 *
 * @typedef {object} SliceDim what a slice takes along one dimension: start + step·i for i < count
 * @property {number} start
 * @property {number} step may be negative
 * @property {number} count
 *
 * @typedef {object} Values what the elements hold, in logical row-major order
 * @property {ArrayLike<number> | ArrayLike<bigint>} data
 * @property {readonly [ArrayLike<number> | ArrayLike<bigint>, ArrayLike<number> | ArrayLike<bigint>] | undefined} [parts] of complex numbers, whose data are absolute values: real, imaginary
 * @property {string} [dtype] of the elements, for their digits
 * @property {'picture' | 'data'} role picture: 0..255 with channels tinted; data: viridis, min to max
 *
 * @typedef {object} Term one dimension's part of an address
 * @property {string} dim
 * @property {number} index
 * @property {readonly {digit: number, stride: number, product: number, symbol: string}[]} digits
 *
 * @typedef {object} ExplanationPart
 * @property {string} sign what stands before the term: a sign, or brackets and the like
 * @property {string} text the term, may be empty
 * @property {number} dim that it belongs to, -1 for none
 * @property {number | null} value what the term adds to the sum, without its sign; null where it is no term
 * @property {string} [factor] a number or symbol, of a product
 * @property {number} [stride] what it is multiplied by, with its sign
 *
 * @typedef {object} Explanation
 * @property {readonly Term[]} terms
 * @property {number} offset
 * @property {number} sum the address before the swizzle
 * @property {number} address
 * @property {string} formula "n·576 + ⌊c/4⌋·36 + (c mod 4)·1 + h·12 + w·4"
 * @property {string} numbers "1·576 + 3·36 + 2·1 + 0·12 + 1·4"
 * @property {readonly ExplanationPart[]} formulaParts the formula, term by term
 * @property {readonly ExplanationPart[]} numberParts the numbers, term by term
 * @property {string} text formula = numbers = address
 *   under a swizzle "(s = h·8 + w·1) ^ ((s & 0b1100) >> 2)" and "(5·8 + 3·1) ^ ((43 & 0b1100) >> 2) = 43 ^ 2"
 *
 * @typedef {object} Theme colours as #rgb, #rrggbb or rgb(); the page resolves system colours
 * @property {string} background
 * @property {string} text
 * @property {string} muted labels on the edges
 * @property {string} line cell borders and ticks
 * @property {string} hatch lines over padding
 * @property {string} select the selected cell
 * @property {string} hover the cell under the pointer
 * @property {boolean} dark
 * @property {boolean} forced forced-colors: cells take shades between background and text
 * @property {string} font CSS family of the numbers
 */
export {};
