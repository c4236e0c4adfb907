import { kindOf, layoutText, shortName } from '../../core/network/kinds.js';

/** @typedef {import('../../api/networks/types.js').GraphJson} GraphJson */
/** @typedef {import('../../api/networks/types.js').Propagation} Propagation */
/** @typedef {import('../../api/networks/types.js').Plan} Plan */
/** @typedef {import('../../core/network/kinds.js').Kind} Kind */

/**
 * How one tensor lies in memory.
 * @typedef {{text: string | null, kind: Kind, short: string, href: string}} Lying
 *
 * @typedef {{tensor: string, source: Lying, target: Lying, bytes: number, readers: string[], href: string}} Copy href: of
 *   the copy step by step; empty where a layout is not known
 *
 * What a rule set or a plan decides about a network.
 * @typedef {object} Assignment
 * @property {ReadonlyMap<string, Lying>} tensors
 * @property {readonly Copy[]} copies
 * @property {ReadonlyMap<string, string>} lost formats by the node that gives them up
 * @property {number} bytes of all copies
 */

/** @type {Lying} */
const NOT_KNOWN = Object.freeze({ text: null, kind: 'unknown', short: 'not known', href: '' });
/** @type {Lying} */
const ABSENT = Object.freeze({ text: null, kind: 'absent', short: 'fused', href: '' });
/** How the API says that one kernel goes on from one operator to the next. */
const FUSED = /no memory of its own/;

/**
 * What the rules of a system make of a graph.
 * @param {GraphJson} graph
 * @param {Propagation} found
 * @returns {Assignment}
 */
export function ofRules(graph, found) {
  const tensors = new Map(
    Object.entries(found.tensors).map(([name, placed]) => [
      name,
      FUSED.test(placed.reason ?? '') ? ABSENT : lying(placed.layout, placed.shape, placed.dtype, placed.strides),
    ]),
  );
  const readers = readersOf(graph, found);
  const copies = found.reorders.map(({ tensor, source, target, readers: named, bytes }) => {
    const { shape = null, dtype = null } = found.tensors[tensor] ?? {};
    const goal = lying(target, shape, dtype);
    const start = lying(source, shape, dtype);
    // A node that reads the tensor under another name, through a view, is not drawn at the copy.
    const direct = new Set((readers.get(tensor) ?? []).map((at) => found.nodes[at].name));
    const href = copyHref(source, target, shape, dtype);
    return { tensor, source: start, target: goal, bytes, readers: named.filter((name) => direct.has(name)), href };
  });
  const lost = new Map(found.nodes.flatMap(({ name, lost: format }) => (format ? [[name, format]] : [])));
  return { tensors, copies, lost, bytes: found.bytes };
}

/**
 * What a plan decides.
 * @param {Plan} plan
 * @param {Propagation} found of any rules, for shapes and types
 * @returns {Assignment}
 */
export function ofPlan(plan, found) {
  /** @param {string} tensor @param {string | null} text */
  const at = (tensor, text) => lying(text, found.tensors[tensor]?.shape ?? null, found.tensors[tensor]?.dtype ?? null);
  const tensors = new Map(Object.keys(found.tensors).map((name) => [name, at(name, plan.tensors[name]?.[0] ?? null)]));
  const copies = plan.reorders.map(({ tensor, source, target, bytes, readers }) => ({
    tensor,
    source: at(tensor, source),
    target: at(tensor, target),
    bytes,
    readers,
    href: copyHref(source, target, found.tensors[tensor]?.shape ?? null, found.tensors[tensor]?.dtype ?? null),
  }));
  return { tensors, copies, lost: new Map(), bytes: copies.reduce((sum, { bytes }) => sum + bytes, 0) };
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
 * @param {string | null} text
 * @param {readonly number[] | null} shape
 * @param {string | null} dtype
 * @param {readonly number[] | null} [strides]
 * @returns {Lying}
 */
function lying(text, shape, dtype, strides = null) {
  if (text === null || shape === null) return NOT_KNOWN;
  const kind = kindOf(text, shape, strides);
  const layout = layoutText(text, shape.length);
  const query = new URLSearchParams({ shape: shape.length > 0 ? shape.join(',') : '()', layout });
  if (dtype !== null && dtype !== 'float32') query.set('dtype', dtype);
  return { text, kind, short: shortName(text, kind, shape.length), href: `/?${query.toString().replaceAll('%2C', ',')}` };
}

/**
 * The page that shows a copy step by step.
 * @param {string | null} source
 * @param {string | null} target
 * @param {readonly number[] | null} shape
 * @param {string | null} dtype
 */
function copyHref(source, target, shape, dtype) {
  const from = lying(source, shape, dtype).href;
  if (!from || target === null || shape === null) return '';
  return `/reorder${from.slice(1)}&${new URLSearchParams({ 'b-layout': layoutText(target, shape.length) })}`;
}

/**
 * What differs between two assignments.
 * @typedef {{tensors: ReadonlySet<string>, nodes: ReadonlySet<string>, copies: number, lost: number}} Difference
 *   nodes: whose copies or losses differ; copies and lost: how many more the second has
 */

/** @type {Difference} */
export const NO_DIFFERENCE = Object.freeze({ tensors: new Set(), nodes: new Set(), copies: 0, lost: 0 });

/**
 * @param {Assignment} before
 * @param {Assignment} after
 * @returns {Difference}
 */
export function differenceOf(before, after) {
  const tensors = new Set(
    [...after.tensors].filter(([name, { text }]) => before.tensors.get(name)?.text !== text).map(([name]) => name),
  );
  const nodes = new Set();
  for (const name of new Set([...before.lost.keys(), ...after.lost.keys()])) {
    if (before.lost.get(name) !== after.lost.get(name)) nodes.add(name);
  }
  const was = new Set(before.copies.flatMap(copiesAt));
  const is = new Set(after.copies.flatMap(copiesAt));
  for (const each of [...was, ...is]) {
    if (was.has(each) !== is.has(each)) nodes.add(JSON.parse(each)[0]);
  }
  return {
    tensors,
    nodes,
    copies: after.copies.length - before.copies.length,
    lost: after.lost.size - before.lost.size,
  };
}

/**
 * @param {Copy} copy
 * @returns {string[]} one text for each node that reads it
 */
function copiesAt({ tensor, source, target, readers }) {
  return readers.map((reader) => JSON.stringify([reader, tensor, source.kind, target.kind]));
}
