import { arrange, offers, plan, preset, presets, propagate } from '../../api/networks/calls.js';
import { ApiProblem } from '../../api/client.js';
import { MOST_CHARACTERS, pack, unpack } from '../../core/network/packed.js';
import { differenceOf, NO_DIFFERENCE, ofPlan, ofRules } from './assignment.js';
import { rulesOf, rulesText, valuesOf } from './rules.js';
import { sceneOf } from './scene.js';

/** @import { NetworkState } from './link.js' */
/** @import { Theme } from '../../core/types.js' */
/** @import { Scene } from '../../core/network/types.js' */
/** @import { GraphJson, Propagation, Plan, Way, Preset } from '../../api/networks/types.js' */
/** @import { Assignment, Difference } from './assignment.js' */

/**
 * What listeners are told of: 'state', a change of the state; 'answer', a new answer of the API; 'problem',
 * the message that is shown, or none; 'busy', whether an answer is waited for; 'marks', what is framed; 'presets'; 'theme'.
 * @typedef {'state' | 'answer' | 'problem' | 'busy' | 'marks' | 'presets' | 'theme'} Topic
 * @typedef {'push' | 'replace' | 'none'} Mark how a change enters the browser's history
 *
 * @typedef {object} Answer all that is shown of one network
 * @property {GraphJson} graph
 * @property {Propagation} found
 * @property {Assignment} assignment
 * @property {Plan | null} plan
 * @property {Difference} difference from the rules before, or from the plan without choices of the reader
 * @property {Scene | null} scene null where it cannot be drawn
 * @property {string} undrawable why it cannot be drawn
 * @property {'rules' | 'plan'} show
 */

/** @typedef {Pick<import('../../api/networks/types.js').FileGraph, 'assumed' | 'unknown'> & {given: readonly string[]}} Reading given: names of sizes that the reader gave */

/** Width through height of the drawing that is asked for. */
const ASPECT = Object.freeze({ wide: 1.8, narrow: 0.7 });

/** The state of the page of networks, and its requests to the API. */
export class NetworkSession {
  #events = new EventTarget();
  #turn = 0;
  /** Ends the requests about a graph that is left. */
  #leave = new AbortController();
  /** @type {Map<string, Promise<unknown>>} answers about the present graph */
  #known = new Map();
  #text = '';
  #loaded = '';
  /** @type {{graph: GraphJson, text: string} | null} the last graph that is too large for a link */
  #large = null;
  /** @type {GraphJson | null} */
  graph = null;
  /** @type {readonly Preset[]} */
  presets = [];
  /** @type {Answer | null} */
  answer = null;
  /** @type {string} */
  problem = '';
  busy = false;
  /** Whether the graph is too large for a link. */
  unlinked = false;
  /** The name of the file that the graph came from. */
  file = '';
  /** @type {Reading | null} what its reader remarked */
  reading = null;
  /** @type {readonly string[]} nodes that a search found */
  found = [];
  /** @type {ReadonlySet<string>} tensors whose reorders are framed */
  picked = new Set();
  /** @type {Mark} */
  mark = 'replace';
  narrow = false;

  /**
   * @param {NetworkState} state
   * @param {Theme} theme
   */
  constructor(state, theme) {
    this.state = state;
    this.theme = theme;
  }

  /**
   * @param {Topic | Topic[]} topics
   * @param {() => void} listener
   * @param {AbortSignal} signal removes the listener
   */
  on(topics, listener, signal) {
    for (const topic of [topics].flat()) this.#events.addEventListener(topic, listener, { signal });
  }

  /** @param {Topic} topic */
  tell(topic) {
    this.#events.dispatchEvent(new Event(topic));
  }

  /**
   * Changes parts of the state, and asks the API where needed.
   * @param {Partial<NetworkState>} changes
   * @param {Mark} [mark]
   */
  change(changes, mark = 'push') {
    const before = this.state;
    this.state = Object.freeze({ ...before, ...changes });
    this.mark = mark;
    this.tell('state');
    const chosen = Object.keys(changes).every((name) => name === 'at');
    if (!chosen) this.ask();
  }

  /** Chooses a preset: nothing of the last network stays. @param {string} name */
  choosePreset(name) {
    this.unlinked = false;
    this.file = '';
    this.reading = null;
    this.change({ preset: name, graph: '', at: '', pins: [], anyhow: false, unfolded: [] });
  }

  /**
   * Shows rules, and what differs from those before.
   * @param {string} rules
   */
  chooseRules(rules) {
    if (rules !== this.state.rules) this.change({ rules, options: {}, was: rulesText(this.state) });
  }

  /**
   * Chooses an option of the rules, and shows what differs.
   * @param {string} name
   * @param {string} value empty for the default
   */
  chooseOption(name, value) {
    const { [name]: _, ...others } = this.state.options;
    const options = Object.freeze(value === '' ? others : { ...others, [name]: value });
    this.change({ options, was: rulesText(this.state) });
  }

  /**
   * Shows a graph of the reader's own. One that the rules refuse throws, and what is shown stays.
   * @param {GraphJson} graph
   * @param {string} file its name; empty where it was pasted
   * @param {Reading | null} [reading]
   * @param {string} [rules] that it came with
   */
  async take(graph, file, reading = null, rules = '') {
    const text = JSON.stringify(graph);
    const packed = await pack(text);
    const unlinked = packed.length > MOST_CHARACTERS;
    const kept = unlinked ? '' : packed;
    const [shown, shownText, loaded] = [this.graph, this.#text, this.#loaded];
    this.#enter(graph, text, key({ preset: '', graph: kept }));
    try {
      await this.#rules(rules || rulesText(this.state));
    } catch (error) {
      if (shown && this.graph === graph) this.#enter(shown, shownText, loaded);
      throw error;
    }
    this.unlinked = unlinked;
    this.file = file;
    this.reading = reading;
    if (unlinked) this.#large = { graph, text };
    const chosen = rules === '' ? {} : { ...rulesOf(rules), was: '' };
    this.change({ ...chosen, preset: '', graph: kept, at: '', pins: [], anyhow: false, unfolded: [] });
  }

  /** Frames nodes that were searched for. @param {readonly string[]} names */
  markNames(names) {
    this.found = names;
    this.tell('marks');
  }

  /** Frames the reorders of tensors. @param {readonly string[]} tensors */
  pick(tensors) {
    this.picked = new Set(tensors);
    this.tell('marks');
  }

  /** @param {string} message empty: there is none */
  complain(message) {
    if (message === this.problem) return;
    this.problem = message;
    this.tell('problem');
  }

  /** Lists the presets. */
  async list() {
    try {
      this.presets = await presets(new AbortController().signal);
      this.tell('presets');
    } catch (error) {
      this.complain(messageOf(error));
    }
  }

  /** Asks for everything that the state needs; only the last question is answered. */
  async ask() {
    this.#turn += 1;
    const turn = this.#turn;
    this.#wait(true);
    try {
      await this.#load(turn);
      if (turn !== this.#turn || !this.graph) return;
      const answer = await this.#answer(this.graph);
      if (turn !== this.#turn) return;
      this.answer = answer;
      this.picked = new Set();
      this.complain('');
      this.tell('answer');
    } catch (error) {
      if (turn === this.#turn) this.complain(messageOf(error));
    } finally {
      if (turn === this.#turn) this.#wait(false);
    }
  }

  /**
   * The ways in which a plan may run a node.
   * @param {string} node
   * @returns {Promise<Way[]>}
   */
  offers(node) {
    const machine = this.#machine;
    return this.#once(`offers ${JSON.stringify([node, machine])}`, (signal) => offers(this.#text, { node, ...machine }, signal));
  }

  /** The rules whose options name a machine that a plan is for: it has blocks of its own. */
  get #machine() {
    const { rules, options } = this.state;
    return Object.keys(options).length > 0 ? { rules, options: valuesOf(options) } : {};
  }

  /**
   * What gives the answer that is shown.
   * @returns {Promise<import('../../api/networks/types.js').Asked | null>} null where none is shown yet
   */
  async asked() {
    const { preset: name, pins, anyhow, rules, options } = this.state;
    if (!this.answer) return null;
    const plans = this.answer.show === 'plan';
    const wishes = plans ? await this.#wishes(this.answer.graph, pins, anyhow) : { rules, options: valuesOf(options) };
    return { preset: name, graph: this.#text, call: plans ? 'plan' : 'propagate', wishes };
  }

  /** @param {boolean} busy */
  #wait(busy) {
    if (busy === this.busy) return;
    this.busy = busy;
    this.tell('busy');
  }

  /** @param {number} turn */
  async #load(turn) {
    const wanted = key(this.state);
    if (wanted === this.#loaded) return;
    if (wanted === key({ preset: '', graph: '' })) {
      if (!this.#large) throw new Error('The network of this link was too large for a link. Open it again.');
      this.#enter(this.#large.graph, this.#large.text, wanted);
      return;
    }
    const signal = this.#leave.signal;
    const graph =
      this.state.graph !== ''
        ? /** @type {GraphJson} */ (JSON.parse(await unpack(this.state.graph)))
        : await preset(this.state.preset, signal);
    if (turn === this.#turn) this.#enter(graph, JSON.stringify(graph), wanted);
  }

  /**
   * @param {GraphJson} graph
   * @param {string} text
   * @param {string} loaded
   */
  #enter(graph, text, loaded) {
    this.#leave.abort();
    this.#leave = new AbortController();
    this.#known = new Map();
    this.graph = graph;
    this.#text = text;
    this.#loaded = loaded;
  }

  /**
   * @param {GraphJson} graph
   * @returns {Promise<Answer>}
   */
  async #answer(graph) {
    const { was, show, pins, anyhow } = this.state;
    const rules = rulesText(this.state);
    const compared = show === 'rules' && was !== '' && was !== rules;
    const [found, before, planned, unpinned] = await Promise.all([
      this.#rules(rules),
      compared ? this.#rules(was).catch(() => null) : null,
      show === 'plan' ? this.#plan(graph, pins, anyhow) : null,
      show === 'plan' && pins.length > 0 ? this.#plan(graph, [], anyhow) : null,
    ]);
    const assignment = planned ? ofPlan(planned, found) : ofRules(graph, found);
    const other = (unpinned && ofPlan(unpinned, found)) ?? (before && ofRules(graph, before));
    const difference = other ? differenceOf(other, assignment, graph) : NO_DIFFERENCE;
    const answer = { graph, found, assignment, plan: planned, difference, show };
    try {
      const arrangement = await this.#arrange(assignment);
      const scene = sceneOf(graph, found, assignment, arrangement, difference, this.state.unfolded);
      return { ...answer, scene, undrawable: '' };
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      return { ...answer, scene: null, undrawable: messageOf(error) };
    }
  }

  /**
   * @param {string} text rules with their options
   * @returns {Promise<Propagation>}
   */
  #rules(text) {
    const { rules, options } = rulesOf(text);
    const wishes = { rules, options: valuesOf(options) };
    return this.#once(`rules ${text}`, (signal) => propagate(this.#text, wishes, signal));
  }

  /**
   * @param {GraphJson} graph
   * @param {readonly import('./link.js').Pin[]} pins
   * @param {boolean} anyhow
   * @returns {Promise<Plan>}
   */
  #plan(graph, pins, anyhow) {
    return this.#once(`plan ${JSON.stringify([anyhow, pins, this.#machine])}`, async (signal) => plan(this.#text, await this.#wishes(graph, pins, anyhow), signal));
  }

  /**
   * @param {GraphJson} graph
   * @param {readonly import('./link.js').Pin[]} pins
   * @param {boolean} anyhow
   */
  async #wishes(graph, pins, anyhow) {
    const machine = this.#machine;
    /** @type {Record<string, Way[]>} */
    const choices = {};
    for (const { node, way } of pins) {
      const chosen = (await this.offers(node))[way];
      if (chosen) choices[node] = [chosen];
    }
    const outputs = anyhow ? Object.fromEntries(resultsOf(graph).map((name) => [name, null])) : {};
    return { choices, outputs, ...machine };
  }

  /** @param {Assignment} assignment */
  #arrange(assignment) {
    const wishes = {
      reorders: assignment.copies.map(({ tensor, readers }) => ({ tensor, readers })),
      fold: this.state.fold,
      unfolded: this.state.unfolded,
      aspect: this.narrow ? ASPECT.narrow : ASPECT.wide,
    };
    return this.#once(`arrange ${JSON.stringify(wishes)}`, (signal) => arrange(this.#text, wishes, signal));
  }

  /**
   * @template T
   * @param {string} name
   * @param {(signal: AbortSignal) => Promise<T>} call
   * @returns {Promise<T>}
   */
  #once(name, call) {
    const known = this.#known;
    const kept = known.get(name);
    if (kept) return /** @type {Promise<T>} */ (kept);
    const made = call(this.#leave.signal);
    known.set(name, made);
    made.catch(() => known.delete(name));
    return made;
  }
}

/**
 * @param {GraphJson} graph
 * @returns {readonly string[]} the network's results
 */
function resultsOf({ outputs, nodes }) {
  if (outputs) return outputs;
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  return nodes.flatMap((node) => node.outputs).filter((name) => name !== '' && !read.has(name));
}

/** @param {{preset: string, graph: string}} state */
function key({ preset: name, graph }) {
  return graph === '' ? `preset ${name}` : `graph ${graph}`;
}

/** @param {unknown} error */
export function messageOf(error) {
  if (error instanceof ApiProblem) {
    const [{ path, message }] = error.problems;
    // The body is the whole that was given, which the reader knows by another name.
    return path && path !== 'body' ? `${path}: ${message}` : message;
  }
  if (error instanceof RangeError) return 'The link does not hold a network that can be read.';
  if (error instanceof SyntaxError) return 'The text is not JSON.';
  return error instanceof Error ? error.message : String(error);
}
