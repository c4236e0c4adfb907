/**
 * What the page of reorders remembers. Types only: nothing here runs.
 *
 * @typedef {import('../types.js').Answer} Answer
 * @typedef {import('../../core/types.js').Tensor} Tensor
 * @typedef {import('../../core/schedule/types.js').Schedule} Schedule
 * @typedef {import('../../core/schedule/rows.js').Row} Row
 *
 * @typedef {object} Ready a reorder that can be drawn
 * @property {{a: Answer, b: Answer}} answers
 * @property {{a: Tensor, b: Tensor}} tensors
 * @property {Schedule} schedule
 * @property {number} itemsize_bits
 * @property {number} rowLength_elems addresses in a row of either grid: one cache line, on a phone a part of it
 * @property {number} line_elems addresses in a cache line
 * @property {Rows | null} rows of the grids; null where loops of a large target interleave
 * @property {Rows | null} lines the same of cache lines
 * @property {Record<'a' | 'b', (address: number) => number> | null} stepOf which step reads an address of A, or writes one of B; -1 for none
 *
 * @typedef {{a: ((row: number) => Row) | null, b: (row: number) => Row}} Rows A's are null where its elements share
 *   addresses, which are read several times
 *
 * @typedef {{step: number, part: number}} Moment part of the step that has passed: 1 at rest
 */
export {};
