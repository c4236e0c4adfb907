/**
 * A reorder's plan as steps, as the page uses it. Types only: nothing here runs.
 *
 * @typedef {import('../types.js').Integer} Integer
 * @typedef {import('../types.js').Swizzle} Swizzle
 *
 * @typedef {object} LoopJson one loop of the API's plan
 * @property {Integer} extent
 * @property {Integer} source_stride in units
 * @property {Integer} target_stride in units
 * @property {Integer} fill
 *
 * @typedef {{way: 'transpose' | 'interleave' | 'separate', along: number, chain: readonly number[], rows: Integer}} RegistersJson along:
 *   the loop that is contiguous in the source; chain: those that are contiguous in the target, innermost first
 *
 * @typedef {object} MoveJson
 * @property {'runs' | 'transpose' | 'elements' | 'zeros' | 'table'} kernel
 * @property {number} unit_bits
 * @property {Integer | null} source null: zeros are written
 * @property {Integer} target
 * @property {readonly LoopJson[]} loops outermost first
 * @property {number | null} run the loop that one step copies whole
 * @property {number | null} fill_run the loop whose fill is one step
 * @property {readonly Integer[] | null} origin first coordinate, of a copy through address tables
 * @property {readonly Integer[] | null} addresses that are written, listed
 * @property {RegistersJson | null} registers how a transpose moves its units
 * @property {Integer} first number of its first step
 * @property {Integer} steps
 *
 * @typedef {{offset: Integer, digits: readonly (readonly {extent: Integer, stride: Integer}[])[], swizzle: Swizzle | null}} AddressTableJson
 *
 * @typedef {object} PlanJson the `plan` of /schedule
 * @property {'strided' | 'gather'} kernel
 * @property {boolean} copy_needed
 * @property {Integer} elements
 * @property {number} element_bits
 * @property {Integer} bytes_read
 * @property {Integer} bytes_written
 * @property {readonly MoveJson[]} moves
 * @property {{source: AddressTableJson, target: AddressTableJson} | null} tables
 *
 * @typedef {object} Loop the same in exact numbers
 * @property {number} extent
 * @property {number} source_stride
 * @property {number} target_stride
 * @property {number} fill
 *
 * @typedef {object} Move
 * @property {number} index
 * @property {MoveJson['kernel']} kernel
 * @property {number} unit_bits
 * @property {number} unitElements elements in a unit
 * @property {number | null} source
 * @property {number} target
 * @property {readonly Loop[]} loops
 * @property {number | null} run
 * @property {number | null} fill_run
 * @property {readonly number[] | null} origin
 * @property {readonly number[] | null} addresses
 * @property {RegistersJson | null} registers
 * @property {number} first
 * @property {number} steps
 * @property {readonly number[]} turns the radix of each loop
 *
 * @typedef {object} Step
 * @property {number} step
 * @property {number} move
 * @property {readonly number[]} indices
 * @property {number | null} source_address in elements
 * @property {number} target_address
 * @property {number} units
 * @property {number} unit_bits
 * @property {boolean} fill
 *
 * @typedef {object} Schedule
 * @property {number} steps
 * @property {number} elementBits
 * @property {PlanJson['kernel']} kernel
 * @property {boolean} copyNeeded
 * @property {readonly Move[]} moves
 * @property {(step: number) => Step} stepAt in O(rank)
 * @property {(step: number) => number} moveAt index of the move of a step
 */
export {};
