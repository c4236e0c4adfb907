/**
 * Networks as the API takes and answers them. Types only: nothing here runs.
 *
 * @typedef {{op: string, inputs: string[], outputs: string[], attributes?: Record<string, unknown>, name?: string}} NodeJson
 *
 * @typedef {object} GraphJson
 * @property {Record<string, {shape: number[], layout?: unknown, dtype?: string}>} inputs
 * @property {Record<string, {shape: number[], layout?: unknown, dtype?: string}>} [constants]
 * @property {NodeJson[]} nodes
 * @property {string[]} [outputs]
 *
 * @typedef {import('../../core/network/kinds.js').Label} Label
 *
 * @typedef {object} PlacedOnly
 * @property {readonly number[] | null} shape
 * @property {string | null} dtype
 * @property {readonly number[] | null} strides
 * @property {number | null} offset
 * @property {boolean} view
 * @property {string} [of] the tensor whose memory a view shares
 * @property {boolean} fused whether it is never in memory
 * @property {string} [reason] why it is not known, or not as it was given
 * @typedef {PlacedOnly & Label} Placed how a tensor lies in memory; null for what is not known
 *
 * @typedef {{tensor: string, source: string, target: string, source_layout: Label | null, target_layout: Label | null, before?: string | null, after?: string | null, readers: string[], prepared: boolean, bytes: number}} ReorderJson
 * @typedef {{name: string, op: string, rule: string, reason: string, lost?: string, node_cost?: number}} NodeAnswer node_cost: what it moves itself to change layouts
 *
 * @typedef {object} Propagation
 * @property {string} rules
 * @property {Record<string, Placed>} tensors
 * @property {readonly ReorderJson[]} reorders
 * @property {readonly NodeAnswer[]} nodes
 * @property {number} bytes of the reorders of activations at each run
 * @property {number} cost all bytes at each run
 * @property {number | null} node_cost a part of the cost: what nodes move themselves; null where that was not counted
 * @property {number} prepared_bytes once, before the first run, for weights
 * @property {boolean} weights_each_call whether weights are copied again at each run, unless they come as wanted: a part of the cost
 * @property {readonly Advice[]} [advice] how reorders could be avoided, the largest sum first
 *
 * @typedef {object} Advice about the reorders of one kind, or what nodes move inside
 * @property {boolean} inside
 * @property {string} source layout
 * @property {string} target layout
 * @property {number} count
 * @property {number} bytes
 * @property {readonly string[]} edges names of the tensors
 * @property {{nodes: readonly string[], layout: string, keeps: string} | null} change what would have to change
 * @property {number} cost_bytes
 * @property {number} saved_bytes
 * @property {string} text
 *
 * @typedef {{graph: GraphJson, assumed: Record<string, number>, unknown: readonly {node: string, op: string, reason: string}[]}} FileGraph
 *
 * @typedef {{inputs: (string | null)[], outputs: (string | null)[], cost: number}} Way one way to run a node
 *
 * @typedef {Pick<Propagation, 'cost' | 'node_cost' | 'prepared_bytes' | 'weights_each_call'> & {reorders: number, results_bytes?: number}} Moved what is read and written;
 *   reorders: how many at each run; results_bytes: of copies of the results into the plan's layouts, no part of the cost
 *
 * @typedef {object} Plan
 * @property {Record<string, string[]>} tensors layouts held, the produced one first
 * @property {Record<string, Label>} layouts the produced one of each
 * @property {Record<string, Way>} nodes
 * @property {readonly ReorderJson[]} reorders
 * @property {number} cost
 * @property {number} node_cost a part of the cost: what nodes move themselves
 * @property {number} prepared_bytes once, before the first run, for weights
 * @property {Record<string, string | null>} outputs how each result is given back, null for any layout
 * @property {number} bound
 * @property {boolean} optimal
 * @property {readonly (Moved & {name: string})[]} baselines
 * @property {readonly {name: string, reason: string}[]} left_out baselines that are not there
 *
 * @typedef {object} Vertex
 * @property {'input' | 'node' | 'fold' | 'reorder'} kind
 * @property {string} name
 * @property {number} first number of its first node, or of the reorder
 * @property {number} x middle, in units
 * @property {number} y
 * @property {number} layer
 * @property {number} period
 * @property {number} repeats
 *
 * @typedef {{tensor: string, source: number, target: number, points: [number, number][]}} Edge
 * @typedef {{width: number, height: number, vertices: Vertex[], edges: Edge[]}} Arrangement
 *
 * @typedef {{tensor: string, readers: string[]}} DrawnReorder
 * @typedef {{name: string, title: string, shows: string, shows_under: readonly string[], nodes: number}} Preset
 *
 * @typedef {object} Asked what the page asked about a network
 * @property {string} preset its name; empty for a graph of the reader's own
 * @property {string} graph JSON
 * @property {'propagate' | 'plan'} call
 * @property {Record<string, unknown>} wishes the other fields of the call
 */
export {};
