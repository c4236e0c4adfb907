import { bytesText } from '../core/network/texts.js';
import { counted } from './numbers.js';

/** @import { Kind } from '../core/network/kinds.js' */
/** @import { Box } from '../core/network/types.js' */
/** @import { Moved } from '../api/networks/types.js' */

/** Names of the kinds of layout. @type {Readonly<Record<Kind, string>>} */
export const KIND_WORDS = Object.freeze({
  plain: 'row-major',
  last: 'channels last',
  blocked: 'channels in blocks',
  other: 'other strides',
  absent: 'fused: not in memory',
  unknown: 'not known',
});

const MOST_REASONS = 3;

/** What the sign of a loss means. */
export const LOST_WORDS = 'layout lost: read here, not passed on';

/** What stands in the place of a system's name while a plan is shown. */
export const PLANNED_WITHOUT = 'A plan over all layouts, whatever the rules of a system; its blocks are those of the machine that is chosen. Its names are letters: NCHW16 is what oneDNN calls nChw16c.';

/**
 * What a preset shows, where that is true.
 * @param {Pick<import('../api/networks/types.js').Preset, 'shows' | 'shows_under'>} preset
 * @param {{show: 'rules' | 'plan', rules: string, options: Readonly<Record<string, string>>}} state
 * @returns {string} empty under rules that do something else, as oneDNN's with kernels that block no channels
 */
export function showsText({ shows, shows_under: under }, { show, rules, options }) {
  const planned = show === 'plan';
  const holds = under.includes(planned ? 'plan' : rules) && (planned || options.kernels !== 'brgemm');
  return under.length === 0 || holds ? shows : '';
}

/** @param {number} bytes that a node reads and writes itself @returns {string} */
export function insideText(bytes) {
  return `${bytesText(bytes)} are read and written inside this node at each run, to change layouts.`;
}

/**
 * What a set of rules or a plan does, in one sentence or two.
 * @param {{moved: Moved, lost: ReadonlyMap<string, string>}} assignment
 * @param {'rules' | 'plan'} show
 * @param {{count: number, reasons: readonly string[]}} [unknown] the nodes of whose layouts nothing is known
 * @returns {string}
 */
export function resultText({ moved, lost }, show, { count, reasons } = { count: 0, reasons: [] }) {
  const not = count > 0 ? ` Nothing is known of the layouts of ${counted(count, 'node')}. ${reasons.slice(0, MOST_REASONS).join(' ')}` : '';
  const said = `${bytesText(moved.cost)} read and written to change layouts at each run: ${partsText(moved)}.${not}`;
  if (show === 'plan') return said;
  if (lost.size === 0) return count > 0 ? said : `${said} No layout is lost.`;
  const [first] = lost.values();
  const all = [...lost.values()].every((each) => each === first);
  return `${said} ${all ? first : 'A layout'} is lost at ${counted(lost.size, 'node')}: read there, not passed on.`;
}

/** @param {number} count @param {number} bytes of all of them @returns {string} */
export function reordersText(count, bytes) {
  return `${counted(count, 'reorder')} of ${bytesText(bytes)}${count > 1 ? ' in all' : ''}`;
}

/**
 * The parts of what is read and written at each run, and what is once.
 * @param {Moved} moved
 * @returns {string}
 */
export function partsText({ cost, node_cost, prepared_bytes, weights_each_call, reorders, results_bytes = 0 }) {
  const between = cost - (node_cost ?? 0) - (weights_each_call ? prepared_bytes : 0);
  const none = node_cost ? 'no reorders between nodes' : 'no reorders';
  const parts = [reorders === 0 ? none : reordersText(reorders, between)];
  if (node_cost === null) parts.push('inside nodes not counted');
  else if (node_cost > 0) parts.push(`${bytesText(node_cost)} of activations reordered inside nodes (weights inside nodes are not counted)`);
  if (prepared_bytes > 0) {
    const when = weights_each_call ? 'unless given as wanted' : 'once, before the first run';
    parts.push(`${bytesText(prepared_bytes)} for weights ${when}`);
  }
  if (results_bytes > 0) parts.push(`${bytesText(results_bytes)} more to give its results back as the plan does`);
  return parts.join(', ');
}

/**
 * How two answers differ.
 * @param {{tensors: ReadonlySet<string>, nodes: ReadonlySet<string>, results: ReadonlySet<string>, most: boolean, copies: number, bytes: number, weights: number, lost: number}} difference
 * @param {string} before what was shown before
 * @param {boolean} framed whether the drawing frames what differs
 * @returns {string}
 */
export function differenceText({ tensors, nodes, results, most, copies, bytes, weights, lost }, before, framed) {
  const parts = [];
  if (tensors.size > 0) parts.push(`${counted(tensors.size, 'tensor lies', 'tensors lie')} differently`);
  if (copies !== 0) parts.push(`${counted(Math.abs(copies), 'reorder')} ${copies > 0 ? 'more' : 'fewer'}`);
  if (bytes !== 0) parts.push(`${bytesText(Math.abs(bytes))} ${bytes > 0 ? 'more' : 'less'} at each run`);
  if (weights !== 0) parts.push(`weights ${bytesText(Math.abs(weights))} ${weights > 0 ? 'more' : 'less'}`);
  if (lost !== 0) parts.push(`${counted(Math.abs(lost), 'loss', 'losses')} ${lost > 0 ? 'more' : 'fewer'}`);
  if (parts.length === 0 && nodes.size + results.size === 0) return `Nothing differs from ${before}.`;
  const said = `Against ${before}: ${parts.join(', ') || 'as many reorders and losses, elsewhere'}.`;
  return most ? `${said} Most differ, so no frame marks them.` : framed ? `${said} What differs is framed.` : said;
}

/**
 * @param {{cost: number, bound: number, optimal: boolean}} plan
 * @returns {string} empty where nothing is moved: less than nothing needs no proof
 */
export function proofText({ cost, bound, optimal }) {
  if (cost === 0) return '';
  if (optimal) return `Proven: no choice of layouts costs less than ${bytesText(cost)}.`;
  return `Not proven: the best found costs ${bytesText(cost)}, and none costs less than ${bytesText(bound)}.`;
}

/**
 * What the bars count, and how the results are given back.
 * @param {{outputs: Record<string, string | null>}} plan
 * @returns {string}
 */
export function countedText({ outputs }) {
  const given = new Set(Object.values(outputs));
  const results = given.has(null)
    ? 'Results stay in any layout.'
    : given.size > 0
      ? 'Results are given back row-major.'
      : '';
  const said =
    'All that is read and written at each run: by reorders, inside nodes, and for weights where a system copies them each time. ' +
    'The plan counts no weights: they do not change, and are reordered once, before the first run. Weights that a library reorders inside nodes are not counted.';
  return `${said} A system hands results back as it leaves them. ${results}`.trim();
}

/**
 * What is said of a box that the keyboard came to.
 * @param {Box} box
 * @param {{op: string, reason: string} | null} node
 * @param {readonly string[]} layouts of what leaves it
 * @returns {string}
 */
export function boxText(box, node, layouts) {
  const out = layouts.length > 0 ? `, ${layouts.join(' and ')}` : '';
  switch (box.kind) {
    case 'input':
      return `Input ${box.name}, ${box.detail}${out}.`;
    case 'reorder':
      return `Reorder of ${box.name}, ${box.title}, ${box.detail}.`;
    case 'fold':
      return `Repeated block, ${box.title}, ${box.detail}${out}.${lostText(box.lost)}`;
    case 'node':
      return `${node?.op ?? ''} ${box.name}, ${box.detail}${out}.${lostText(box.lost)}${lostReason(box, node)}`;
  }
}

/** @param {string} lost */
function lostText(lost) {
  return lost === '' ? '' : ` It loses ${lost}.`;
}

/**
 * @param {Box} box
 * @param {{reason: string} | null} node
 */
function lostReason(box, node) {
  return box.lost === '' || !node ? '' : ` ${node.reason}`;
}

/**
 * Which inputs of a node are weights: they do not change from run to run.
 * @param {import('../api/networks/types.js').GraphJson} graph
 * @param {number} node
 * @returns {boolean[]}
 */
export function weightsOf({ nodes, constants = {} }, node) {
  return nodes[node].inputs.map((name) => name in constants);
}

/**
 * One way to run a node, for a list of choices.
 * @param {{inputs: readonly (string | null)[], outputs: readonly (string | null)[], cost: number}} way
 * @param {readonly boolean[]} weights for each input whether it is constant
 * @returns {string}
 */
export function wayText({ inputs, outputs, cost }, weights) {
  const read = inputs.map((each, at) => each ?? (weights[at] ? 'weights: any' : 'any'));
  const written = outputs.map((each) => each ?? 'any');
  const own = cost > 0 ? ` at ${bytesText(cost)}` : '';
  return `${[...new Set(read)].join(', ')} → ${[...new Set(written)].join(', ')}${own}`;
}

/**
 * How a plan runs a node, what that takes, and whether another way would be cheaper.
 * @param {Parameters<typeof wayText>[0]} way
 * @param {readonly boolean[]} weights for each input whether it is constant
 * @param {readonly {bytes: number}[]} copies reorders that it reads
 * @param {boolean} proven whether no other way of any node makes the network cheaper
 * @returns {string}
 */
export function plannedText(way, weights, copies, proven) {
  const bytes = copies.reduce((sum, each) => sum + each.bytes, 0);
  const needs = copies.length > 0 ? `It needs ${reordersText(copies.length, bytes)}` : 'It needs no reorder';
  const apart = weights.includes(true) ? '; weights are not counted' : '';
  const others = proven ? '. In no other way does the network cost less' : '';
  return `The plan runs it in ${wayText(way, weights)}. ${needs}${apart}${others}: choose another to see what the network costs then.`;
}

/**
 * What would have to change for fewer reorders, and what that costs.
 * @param {import('../api/networks/types.js').Advice} advice
 * @returns {string}
 */
export function adviceText({ change, cost_bytes: cost, saved_bytes: saved, text }) {
  if (!change) return text;
  return `${change.keeps} Saves ${bytesText(saved)}${cost > 0 ? `, costs ${bytesText(cost)}` : ''}.`;
}

/**
 * What is said of files that no page reads, by the end of their names.
 * @type {readonly {names: RegExp, says: (name: string) => string}[]}
 */
const ELSEWHERE = [
  { names: /[._]data$/i, says: (name) => `${name} holds the weights. The .onnx file beside it is enough.` },
  { names: /\.pt2$/i, says: (name) => `${name} is a program of torch.export, which the command line reads: stridescope network ${name}` },
];

/**
 * What to do with a file that no page reads.
 * @param {string} name of the file
 * @returns {string | null} null where the page of networks may read it
 */
export function elsewhere(name) {
  return ELSEWHERE.find(({ names }) => names.test(name))?.says(name) ?? null;
}
