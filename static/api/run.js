import { post } from './client.js';

/**
 * @typedef {object} RunOperand
 * @property {string} role
 * @property {readonly number[] | null} shape
 * @property {string | null} dtype
 * @property {string | null} layout
 * @property {number | null} bytes
 * @property {boolean} at_least
 *
 * @typedef {object} RunEvent
 * @property {number} index
 * @property {string} primitive
 * @property {string} implementation
 * @property {string} prop
 * @property {readonly RunOperand[]} operands
 * @property {string} auxiliary
 * @property {string} problem
 * @property {number | null} ms
 * @property {number | null} within
 * @property {boolean} is_reorder
 *
 * @typedef {object} RunFinding
 * @property {string} code
 * @property {'certain' | 'likely'} certainty
 * @property {readonly number[]} events
 * @property {number} ms
 * @property {number} bytes
 * @property {string} text
 * @property {string} unseen
 *
 * @typedef {{source: number, target: number, operand: number, one_of: number}} RunLink
 * @typedef {{line: number, text: string, reason: string}} SkippedLine
 *
 * @typedef {object} RunChain
 * @property {import('./networks/types.js').Arrangement} drawing of its vertices `first` is an event, of its edges `tensor` the number of a link
 * @property {readonly {layout: string | null, kind: import('../core/network/kinds.js').Kind, short: string}[]} labels of the edges
 * @property {number} left_out
 *
 * @typedef {object} RunColumns of a trace, in bytes that are read and written
 * @property {number} measured
 * @property {number} measured_ms
 * @property {number} by_rules
 * @property {number | null} least
 * @property {readonly {where: string, op: string}[]} differences
 * @property {string} text
 *
 * @typedef {object} RunTotals
 * @property {number} events
 * @property {number} ms
 * @property {number} reorders
 * @property {number} reorder_ms
 * @property {number} reorder_bytes
 * @property {boolean} reorder_bytes_at_least
 * @property {number} without_time
 * @property {number} zero_or_less
 * @property {readonly {name: string, events: number, ms: number}[]} implementations those that took longest first
 *
 * @typedef {object} RunAnswer
 * @property {'onednn-verbose' | 'onnxruntime-profile' | 'stridescope-trace'} kind
 * @property {readonly string[]} versions
 * @property {readonly RunEvent[]} events
 * @property {number} left_out
 * @property {RunTotals} totals
 * @property {readonly RunFinding[]} findings
 * @property {{events: number, times: number} | null} period
 * @property {readonly RunLink[]} links
 * @property {{lines: number, first: readonly SkippedLine[]}} skipped
 * @property {readonly string[]} notes
 * @property {RunChain | null} chain
 * @property {RunColumns | null} columns
 */

/**
 * Asks what a log, a profile or a saved trace says.
 * @param {string} log
 * @param {AbortSignal} signal
 * @returns {Promise<RunAnswer>}
 * @throws {import('./client.js').ApiProblem} where the API refuses or cannot be reached
 */
export async function run(log, signal) {
  return /** @type {RunAnswer} */ (await post('run', JSON.stringify({ log }), signal));
}
