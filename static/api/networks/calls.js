import { API, answerOf, post } from '../client.js';

/** @import { GraphJson, Propagation, Plan, Way, Preset, Arrangement, DrawnReorder } from './types.js' */
/** @typedef {{rules?: string, options?: Record<string, string | number | boolean>}} Machine rules whose options name the machine that a plan is for */

/*
 * All of these throw an ApiProblem where the API refuses or cannot be reached.
 */

/**
 * @param {AbortSignal} signal
 * @returns {Promise<readonly Preset[]>} the networks to start from
 */
export async function presets(signal) {
  const found = /** @type {{networks: Preset[]}} */ (await answerOf(`${API}/networks`, { signal }));
  return found.networks;
}

/**
 * @param {string} name of a preset
 * @param {AbortSignal} signal
 * @returns {Promise<GraphJson>}
 */
export async function preset(name, signal) {
  const url = `${API}/networks/${encodeURIComponent(name)}`;
  return /** @type {{graph: GraphJson}} */ (await answerOf(url, { signal })).graph;
}

/**
 * Reads an .onnx file.
 * @param {Blob} file
 * @param {Readonly<Record<string, number>>} sizes of dimensions that the file leaves open; 1 for others
 * @param {AbortSignal} signal
 * @returns {Promise<import('./types.js').FileGraph>}
 */
export async function readOnnx(file, sizes, signal) {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const init = { method: 'POST', body: file, headers, signal };
  const query = new URLSearchParams();
  for (const [name, size] of Object.entries(sizes)) query.set(name, String(size));
  return /** @type {import('./types.js').FileGraph} */ (await answerOf(`${API}/graph?${query}`, init));
}

/**
 * Carries layouts through a graph by the rules of a system.
 * @param {string} graph JSON
 * @param {{rules: string, options: Record<string, string | number | boolean>}} wishes
 * @param {AbortSignal} signal
 * @returns {Promise<Propagation>}
 */
export async function propagate(graph, wishes, signal) {
  const body = `{"graph": ${graph}, ${JSON.stringify(wishes).slice(1)}`;
  return /** @type {Propagation} */ (await post('propagate', body, signal));
}

/**
 * Asks for the layouts at the least cost.
 * @param {string} graph JSON
 * @param {{choices: Record<string, Way[]>, outputs: Record<string, string | null>} & Machine} wishes
 * @param {AbortSignal} signal
 * @returns {Promise<Plan>}
 */
export async function plan(graph, wishes, signal) {
  const body = `{"graph": ${graph}, ${JSON.stringify(wishes).slice(1)}`;
  return /** @type {Plan} */ (await post('plan', body, signal));
}

/**
 * Asks in which ways a plan may run a node.
 * @param {string} graph JSON
 * @param {{node: string} & Machine} wishes
 * @param {AbortSignal} signal
 * @returns {Promise<Way[]>}
 */
export async function offers(graph, wishes, signal) {
  const body = `{"graph": ${graph}, ${JSON.stringify(wishes).slice(1)}`;
  return /** @type {{ways: Way[]}} */ (await post('offers', body, signal)).ways;
}

/**
 * Asks where to draw what.
 * @param {string} graph JSON
 * @param {{reorders: DrawnReorder[], fold: boolean, unfolded: readonly string[], aspect: number}} wishes
 * @param {AbortSignal} signal
 * @returns {Promise<Arrangement>}
 */
export async function arrange(graph, wishes, signal) {
  const body = `{"graph": ${graph}, ${JSON.stringify(wishes).slice(1)}`;
  return /** @type {Arrangement} */ (await post('arrange', body, signal));
}
