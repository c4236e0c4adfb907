/**
 * What the page hands to the drawing. Types only: nothing here runs.
 *
 * @typedef {import('../core/types.js').Tensor} Tensor
 * @typedef {import('../core/types.js').Theme} Theme
 * @typedef {import('../core/types.js').Values} Values
 * @typedef {import('../core/types.js').Viewport} Viewport
 * @typedef {import('../core/types.js').LogicalGrid} LogicalGrid
 * @typedef {import('../core/types.js').SliceDim} SliceDim
 *
 * @typedef {object} PainterOptions
 * @property {Tensor} tensor
 * @property {Theme} theme
 * @property {string} colour 'auto' (by value where there are values, else by channel), 'channel' (hue by channel, lightness by place in the plane), 'linear', 'value', or a dimension's name
 * @property {Values | null} values
 * @property {readonly SliceDim[] | null} slice elements outside it are faded
 * @property {Tensor} [like] the tensor whose channels decide the colours, for a second layout of it
 *
 * @typedef {object} Painter the colours of elements; created once per tensor, colour and theme, not per frame
 * @property {Tensor} tensor
 * @property {Theme} theme
 * @property {import('./colours.js').ColourPlan} plan
 * @property {Uint32Array} palette words: CATEGORIES rows of SHADES, then the same rows faded
 * @property {(coords: readonly number[]) => {fill: string, ink: string}} cell colour of an element and of a text on it
 * @property {(word: number) => string | null} outline colour around a pale cell, so that its edge has a
 *   contrast of 3 with the page; null for a cell that stands out, and outside the slice
 * @property {(coords: readonly number[]) => boolean} isMember in the slice (true without one)
 * @property {(text: CellText, values: Values | null, room?: number) => (coords: readonly number[], budget?: number) => string} textOf; room: characters that a cell can show
 *   the texts of the cells; budget: of a search for the first owner
 * @property {import('../core/rows/decoder.js').RowDecoder} decoder its functionals: hue, light, linear index, masks
 * @property {boolean} searches each frame searches for the owners of what it shows: strides interleave, and the tensor is too large to keep them
 * @property {readonly number[]} hue weight per dimension
 * @property {readonly number[]} light weight per dimension
 * @property {readonly {dim: number, inside: (coordinate: number) => boolean}[]} masks dimensions that the slice restricts
 * @property {import('../core/cost/units.js').Unit} [unit] what colours the elements, where the address does
 * @property {string} padding ground of the places that padding takes, below its hatching
 * @property {number} faded what a pixel outside the slice adds to its place in the palette
 * @property {(hueSum: number, lightSum: number, faded: number) => number} wordAt RGBA word of a pixel
 * @property {(sums: RunSums, places: Float64Array, members: Uint8Array, out: Uint32Array, at: number, from: number, end: number) => void} paintRun
 *   RGBA words of the pixels from..end of a row of one plane, written from out[at + from] on; per pixel its
 *   index along the row, and 1 where the slice takes that
 * @property {(kind: number, diagonal: number, patterned: boolean) => number} vacantWord of a pixel where no element lies
 * @property {(coords: readonly number[], faded: number, budget?: number) => number} wordOf the same by
 *   coordinates: elements that share an address have the colour of their first owner
 * @property {(address: number, step: number, count: number, out: Uint32Array, at: number, y_px: number, patterned: boolean) => number} paintAddresses
 *   RGBA words of the addresses address + floor(i * step), 0 where nothing lies; returns a bit for each
 *   kind without an element that was met, and one for an element that a view leaves out
 *
 * @typedef {object} RunSums the sums of the colour weights at index 0 of a row, and what an index adds
 * @property {number} hue
 * @property {number} light
 * @property {number} hueStep
 * @property {number} lightStep
 * @property {boolean} inside whether the slice takes the row
 *
 * @typedef {'auto' | 'linear' | 'letter' | 'value' | 'address' | 'coords'} CellText
 *   auto: the value where there are values, letters for up to 26 stored elements, else their zero-padded index
 *
 * @typedef {'padding' | 'gap' | 'shared' | 'kept' | 'undetermined' | 'line' | 'selected' | 'related' | 'beyond' | 'hovered' | 'cursor' | 'faded' | 'unviewed' | 'numbered' | 'jump' | 'trail' | 'leap' | 'edge' | 'lane' | 'text' | 'pixels' | 'blocks' | 'mixed'} Sign
 *   what a frame may show beside the cells' colours: marks, the beginning of a cache line, frames, the
 *   triangle towards the selected cell, cells outside the slice or the view, the numbers of those inside, the jump of
 *   a reshape, the last cells of a walk, a step of it to another place than the next,
 *   where another line or page begins, a lane of a warp, texts, spaces, pixels of several elements
 *
 * @typedef {object} MemoryScene
 * @property {Painter} painter
 * @property {Viewport} viewport
 * @property {number} rowLength_elems addresses per row
 * @property {number} itemsize_bits
 * @property {CellText} text
 * @property {Values | null} values
 * @property {readonly number[] | null} selected coordinates
 * @property {readonly number[] | null} hovered coordinates
 * @property {number | null} cursor an address that has no coordinates (padding, gap) under the pointer or keyboard
 * @property {Tensor | null} [other] the layout compared with: elements at the same address there are marked
 * @property {number} pixelRatio device pixels per CSS pixel
 *
 * @typedef {object} LogicalScene
 * @property {Painter} painter
 * @property {Viewport} viewport
 * @property {LogicalGrid} grid
 * @property {CellText} text
 * @property {Values | null} values
 * @property {readonly number[] | null} selected
 * @property {readonly number[] | null} hovered
 * @property {number} pixelRatio
 */
export {};
