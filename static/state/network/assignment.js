/** @import { GraphJson, Propagation, Plan, Moved } from '../../api/networks/types.js' */
/** @import { Kind, Label } from '../../core/network/kinds.js' */

/**
 * How one tensor lies in memory.
 * @typedef {{text: string | null, kind: Kind, short: string, href: string, memory?: string}} TensorLayout
 *   memory: strides and offset, where it has strides
 *
 * @typedef {{tensor: string, source: TensorLayout, target: TensorLayout, bytes: number, prepared: boolean, readers: string[], href: string}} Copy href: of
 *   the copy step by step; empty where a layout is not known
 *
 * What a rule set or a plan decides about a network.
 * @typedef {object} Assignment
 * @property {ReadonlyMap<string, TensorLayout>} tensors
 * @property {readonly Copy[]} copies
 * @property {ReadonlyMap<string, string>} lost formats by the node that gives them up
 * @property {ReadonlyMap<string, number>} inside bytes that nodes read and write themselves to change layouts
 * @property {Moved} moved
 */

/** @type {Label} */
const NOT_KNOWN = Object.freeze({ layout: null, kind: 'unknown', short: 'not known' });

/**
 * What the rules of a system make of a graph.
 * @param {GraphJson} graph
 * @param {Propagation} found
 * @returns {Assignment}
 */
export function ofRules(graph, found) {
  const tensors = new Map(
    Object.entries(found.tensors).map(([name, placed]) => {
      const memory = placed.strides ? { memory: JSON.stringify([placed.strides, placed.offset]) } : {};
      return [name, { ...layoutOf(placed, placed.shape, placed.dtype), ...memory }];
    }),
  );
  const readers = readersOf(graph, found);
  const copies = found.reorders.map((made) => {
    // A node that reads the tensor under another name, through a view, is not drawn at the copy.
    const direct = new Set((readers.get(made.tensor) ?? []).map((at) => found.nodes[at].name));
    return { ...copyOf(made, found), readers: made.readers.filter((name) => direct.has(name)) };
  });
  const lost = new Map(found.nodes.flatMap(({ name, lost: format }) => (format ? [[name, format]] : [])));
  const inside = new Map(found.nodes.flatMap(({ name, node_cost: own }) => (own ? [[name, own]] : [])));
  return { tensors, copies, lost, inside, moved: movedOf(found) };
}

/**
 * What a plan decides.
 * @param {Plan} plan
 * @param {Propagation} found of any rules, for shapes and types
 * @returns {Assignment}
 */
export function ofPlan(plan, found) {
  const tensors = new Map(
    Object.entries(found.tensors).map(([name, { shape, dtype }]) => [
      name,
      layoutOf(plan.layouts[name] ?? NOT_KNOWN, shape, dtype),
    ]),
  );
  const copies = plan.reorders.map((made) => copyOf(made, found));
  return { tensors, copies, lost: new Map(), inside: new Map(), moved: movedOf({ ...plan, weights_each_call: false }) };
}

/**
 * @param {Omit<Moved, 'reorders'> & {reorders: readonly {prepared: boolean}[]}} answer
 * @returns {Moved}
 */
export function movedOf({ cost, node_cost, prepared_bytes, weights_each_call, reorders }) {
  const count = reorders.filter(({ prepared }) => !prepared).length;
  return { cost, node_cost, prepared_bytes, weights_each_call, reorders: count };
}

/**
 * @param {GraphJson} graph
 * @param {Propagation} found
 * @returns {Map<string, number[]>} the nodes that read each tensor, once each
 */
function readersOf(graph, found) {
  /** @type {Map<string, number[]>} */
  const readers = new Map(Object.keys(found.tensors).map((name) => [name, []]));
  for (const [index, node] of graph.nodes.entries()) {
    for (const name of new Set(node.inputs)) readers.get(name)?.push(index);
  }
  return readers;
}

/**
 * @param {import('../../api/networks/types.js').ReorderJson} made
 * @param {Propagation} found
 * @returns {Copy} with a link to the page that shows it step by step
 */
function copyOf({ tensor, source, target, source_layout, target_layout, bytes, prepared, readers }, found) {
  const { shape = null, dtype = null } = found.tensors[tensor] ?? {};
  const start = { ...layoutOf(source_layout ?? NOT_KNOWN, shape, dtype), text: source };
  const goal = { ...layoutOf(target_layout ?? NOT_KNOWN, shape, dtype), text: target };
  const to = new URLSearchParams({ 'b-layout': target_layout?.layout ?? '' });
  const href = start.href && goal.href ? `/reorder${start.href.slice(1)}&${to}` : '';
  return { tensor, source: start, target: goal, bytes, prepared, readers, href };
}

/**
 * @param {Label} label
 * @param {readonly number[] | null} shape
 * @param {string | null} dtype
 * @returns {TensorLayout}
 */
function layoutOf({ layout, kind, short }, shape, dtype) {
  if (layout === null || shape === null) return { text: null, kind, short, href: '' };
  const query = new URLSearchParams({ shape: shape.length > 0 ? shape.join(',') : '()', layout });
  if (dtype !== null && dtype !== 'float32') query.set('dtype', dtype);
  return { text: layout, kind, short, href: `/?${query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}` };
}

/**
 * The nodes of which no rule knows where their results lie, such as an operator that is misspelt.
 * @param {Pick<GraphJson, 'nodes'>} graph
 * @param {Pick<Propagation, 'nodes' | 'tensors'>} found
 * @returns {{count: number, reasons: string[]}} reasons: of the nodes that read nothing of the kind, which are the cause
 */
export function unknownOf({ nodes }, { nodes: named, tensors }) {
  const unknown = (/** @type {string} */ name) => tensors[name]?.kind === 'unknown';
  const at = [...nodes.keys()].filter((each) => nodes[each].outputs.some(unknown));
  const causes = at.filter((each) => !nodes[each].inputs.some(unknown));
  const reasons = causes.map((each) => `${named[each].op}: ${tensors[nodes[each].outputs.find(unknown) ?? '']?.reason ?? ''}`);
  return { count: at.length, reasons: [...new Set(reasons)] };
}

/**
 * What differs between two assignments.
 * @typedef {object} Difference
 * @property {ReadonlySet<string>} tensors that lie differently
 * @property {ReadonlySet<string>} nodes whose copies or losses differ
 * @property {ReadonlySet<string>} results whose copies for the network's user differ
 * @property {boolean} most whether at least half of the nodes differ, or write what does
 * @property {number} copies how many more the second has, as `moved` counts them; so of the others
 * @property {number} bytes at each run
 * @property {number} weights bytes for weights
 * @property {number} lost
 */

/** @type {Difference} */
export const NO_DIFFERENCE = Object.freeze({ tensors: new Set(), nodes: new Set(), results: new Set(), most: false, copies: 0, bytes: 0, weights: 0, lost: 0 });

/**
 * @param {Assignment} before
 * @param {Assignment} after
 * @param {Pick<GraphJson, 'nodes'>} graph
 * @returns {Difference}
 */
export function differenceOf(before, after, { nodes: all }) {
  const tensors = new Set(
    [...after.tensors].filter(([name, lies]) => !alike(before.tensors.get(name), lies)).map(([name]) => name),
  );
  /** @type {Set<string>} */
  const nodes = new Set();
  /** @type {Set<string>} */
  const results = new Set();
  for (const name of new Set([...before.lost.keys(), ...after.lost.keys()])) {
    if (before.lost.get(name) !== after.lost.get(name)) nodes.add(name);
  }
  const was = new Set(before.copies.flatMap(copiesAt));
  const is = new Set(after.copies.flatMap(copiesAt));
  for (const each of [...was, ...is]) {
    if (was.has(each) === is.has(each)) continue;
    const [reader, tensor] = JSON.parse(each);
    if (reader === null) results.add(tensor);
    else nodes.add(reader);
  }
  return {
    tensors,
    nodes,
    results,
    most: 2 * Math.max(nodes.size, all.filter(({ outputs }) => outputs.some((name) => tensors.has(name))).length) >= all.length,
    copies: after.moved.reorders - before.moved.reorders,
    bytes: after.moved.cost - before.moved.cost,
    weights: after.moved.prepared_bytes - before.moved.prepared_bytes,
    lost: after.lost.size - before.lost.size,
  };
}

/**
 * Whether a tensor lies alike by two assignments: systems name the same memory differently.
 * @param {TensorLayout | undefined} one
 * @param {TensorLayout} other
 */
function alike(one, other) {
  if (one?.memory && other.memory) return one.memory === other.memory;
  return one?.kind === other.kind && one.short.toLowerCase() === other.short.toLowerCase();
}

/**
 * @param {Copy} copy
 * @returns {string[]} one text for each node that reads it, or for none
 */
function copiesAt({ tensor, source, target, readers }) {
  return (readers.length > 0 ? readers : [null]).map((reader) => JSON.stringify([reader, tensor, source.kind, target.kind]));
}
