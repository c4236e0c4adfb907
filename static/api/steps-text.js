import { integerJson } from './exact-json.js';

/**
 * One step of a view, as typed.
 * @typedef {object} StepText
 * @property {string} op of the API
 * @property {Readonly<Record<string, string>>} args by the API's names; a list is "0,2,1", without brackets
 * @property {number} at its first character in the text
 *
 * @typedef {object} StepOp what a step takes, in the order of its call
 * @property {string} call its name in a text
 * @property {readonly string[]} parameters
 * @property {readonly string[]} lists those that are lists of integers
 * @property {readonly string[]} optional
 *
 * @typedef {{steps: readonly StepText[], problem: {message: string, position: number} | null}} StepsText
 */

export const MOST_STEPS = 64;

/**
 * @param {string} call
 * @param {string[]} parameters
 * @param {string[]} [lists]
 * @param {string[]} [optional]
 * @returns {Readonly<StepOp>}
 */
function op(call, parameters, lists = [], optional = []) {
  return Object.freeze({ call, parameters, lists, optional });
}

/** @type {Readonly<Record<string, Readonly<StepOp>>>} by the API's names */
export const STEP_OPS = Object.freeze({
  permute: op('permute', ['dims'], ['dims']),
  transpose: op('transpose', ['dim0', 'dim1']),
  reshape: op('reshape', ['shape'], ['shape']),
  broadcast: op('expand', ['shape'], ['shape']),
  chunk: op('chunk', ['chunks', 'dim', 'index']),
  narrow: op('narrow', ['dim', 'start', 'length']),
  flip: op('flip', ['dim']),
  select: op('select', ['dim', 'index']),
  unsqueeze: op('unsqueeze', ['dim']),
  squeeze: op('squeeze', ['dim'], [], ['dim']),
  submemory: op('submemory', ['offsets', 'sizes'], ['offsets', 'sizes']),
  flatten: op('flatten', ['start_dim', 'end_dim'], [], ['start_dim', 'end_dim']),
  unfold: op('unfold', ['dim', 'size', 'step']),
  contiguous: op('contiguous', ['memory_format'], [], ['memory_format']),
  T: op('T', []),
  mT: op('mT', []),
  index: op('[ ]', ['index']),
});

/** Parameters that are no integers. */
const TEXTS = new Set(['memory_format', 'index']);
/** What an index may take beside the parts that are steps of their own. */
const INDEX = /^(?:\.\.\.|None|-?\d+|(?:-?\d+)?\s*:\s*(?:-?\d+)?\s*(?::\s*(?:-?\d+)?)?)$/;

/** Other names of the same steps. */
const ALIASES = new Map(
  Object.entries({ view: 'reshape', ravel: 'flatten', expand: 'broadcast', broadcast_to: 'broadcast', swapaxes: 'transpose', swapdims: 'transpose' }),
);
const OPENING = '([{';
const CLOSING = ')]}';

/** What is wrong with a text, and where. */
class StepsError extends Error {
  /** @param {string} message @param {number} position */
  constructor(message, position) {
    super(message);
    this.position = position;
  }
}

/**
 * Reads steps written as in PyTorch: "permute(0, 2, 1).reshape(2, -1)", "x[0].chunk(2, dim=1)[0]".
 * @param {string} text
 * @returns {StepsText} the steps before the first mistake, and the mistake
 */
export function parseSteps(text) {
  /** @type {StepText[]} */
  const steps = [];
  let at = text.match(/^\s*(?:(?!m?T\b)[A-Za-z_]\w*(?=\s*[.[]))?/)?.[0].length ?? 0;
  try {
    while (/\S/.test(text.slice(at))) at = readStep(text, at, steps);
    if (steps.length > MOST_STEPS) throw new StepsError(`at most ${MOST_STEPS} steps`, steps[MOST_STEPS].at);
  } catch (error) {
    if (!(error instanceof StepsError)) throw error;
    return { steps: steps.slice(0, MOST_STEPS), problem: { message: error.message, position: error.position } };
  }
  return { steps, problem: null };
}

/**
 * @param {string} text
 * @param {number} from
 * @param {StepText[]} steps to which it adds what it has read
 * @returns {number} the character after it
 */
function readStep(text, from, steps) {
  const at = from + (text.slice(from).match(/^[\s.;]*/)?.[0].length ?? 0);
  if (at >= text.length) return at;
  if (text[at] === '[') {
    const end = closingOf(text, at);
    steps.push(...indexSteps(text, at + 1, end));
    return end + 1;
  }
  const name = text.slice(at).match(/^[A-Za-z_]\w*/)?.[0];
  if (!name) throw new StepsError('expected a step, such as permute(0, 2, 1)', at);
  const named = ALIASES.get(name) ?? name;
  if (!Object.hasOwn(STEP_OPS, named) || named === 'index') throw new StepsError(`expected one of ${callNames()}`, at);
  if (named.endsWith('T') && !/^\s*\(/.test(text.slice(at + name.length))) {
    steps.push({ op: named, args: {}, at });
    return at + name.length;
  }
  const open = at + name.length + (text.slice(at + name.length).match(/^\s*/)?.[0].length ?? 0);
  if (text[open] !== '(') throw new StepsError('expected a bracket (', open);
  const end = closingOf(text, open);
  // NumPy's transpose of all axes is permute.
  const op = named === 'transpose' && ![0, 2].includes(partsOf(text, open + 1, end).length) ? 'permute' : named;
  const args = argumentsOf(op, text, open + 1, end);
  const index = named === 'chunk' ? text.slice(end + 1).match(/^\s*\[([^[\]()]*)\]/) : null;
  if (index) args.index = index[1].trim();
  steps.push({ op, args, at });
  return end + 1 + (index?.[0].length ?? 0);
}

function callNames() {
  return Object.values(STEP_OPS).map(({ call }) => call).join(', ');
}

/**
 * @param {string} text
 * @param {number} open
 * @returns {number} the bracket that closes the one at `open`
 */
function closingOf(text, open) {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (OPENING.includes(text[at])) depth += 1;
    if (CLOSING.includes(text[at])) depth -= 1;
    if (depth === 0) return at;
  }
  throw new StepsError('expected a closing bracket', text.length);
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {{part: string, at: number}[]} what stands between the commas outside brackets
 */
function partsOf(text, start, end) {
  const parts = [];
  let depth = 0;
  let from = start;
  for (let at = start; at <= end; at += 1) {
    if (at < end && OPENING.includes(text[at])) depth += 1;
    if (at < end && CLOSING.includes(text[at])) depth -= 1;
    if (at < end && (text[at] !== ',' || depth > 0)) continue;
    parts.push({ part: text.slice(from, at).trim(), at: from });
    from = at + 1;
  }
  return parts.length === 1 && parts[0].part === '' ? [] : parts;
}

/**
 * @param {string} named
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {Record<string, string>}
 */
function argumentsOf(named, text, start, end) {
  const { parameters, lists } = STEP_OPS[named];
  const parts = partsOf(text, start, end);
  // reshape(2, -1) is reshape((2, -1)).
  if (lists.length === 1 && !parts.some(({ part }) => /^\w+\s*=/.test(part) || OPENING.includes(part[0]))) {
    return { [lists[0]]: parts.map(({ part }) => part).join(',') };
  }
  /** @type {Record<string, string>} */
  const args = Object.fromEntries(parameters.map((name) => [name, '']));
  parts.forEach(({ part, at }, place) => {
    const keyword = part.match(/^(\w+)\s*=\s*/);
    const name = keyword ? keyword[1] : parameters[place];
    if (name === undefined || !parameters.includes(name)) {
      throw new StepsError(`${STEP_OPS[named].call} takes ${parameters.join(', ')}`, at);
    }
    args[name] = bare(keyword ? part.slice(keyword[0].length) : part).replace(/^torch\./, '');
  });
  if (named === 'chunk' && args.dim === '' && parts.length === 1) args.dim = '0';
  return args;
}

/**
 * The steps of an index: an integer selects, a range narrows, ::-1 flips, None adds a dimension. Any other is one step.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {StepText[]}
 */
function indexSteps(text, start, end) {
  /** @type {StepText[]} */
  const steps = [];
  let dim = 0;
  const parts = partsOf(text, start, end);
  const simple = /^(?:-?\d+|None|::-1|:|\d+\s*:\s*\d+)$/;
  if (parts.every(({ part }) => INDEX.test(part)) && !parts.every(({ part }) => simple.test(part))) {
    return [{ op: 'index', args: { index: text.slice(start, end).trim() }, at: start }];
  }
  for (const { part, at } of parts) {
    const range = part.match(/^(\d+)\s*:\s*(\d+)$/);
    if (/^-?\d+$/.test(part)) {
      steps.push({ op: 'select', args: { dim: String(dim), index: part }, at });
      continue;
    }
    if (part === 'None') steps.push({ op: 'unsqueeze', args: { dim: String(dim) }, at });
    else if (part === '::-1') steps.push({ op: 'flip', args: { dim: String(dim) }, at });
    else if (range) {
      const length = String(BigInt(range[2]) - BigInt(range[1]));
      steps.push({ op: 'narrow', args: { dim: String(dim), start: range[1], length }, at });
    } else if (part !== ':') throw new StepsError('expected an integer, a range such as 1:3, ::-1, : or None', at);
    dim += 1;
  }
  return steps;
}

/** @param {string} list */
function bare(list) {
  return list.replace(/[()[\]{}]/g, '').trim();
}

/**
 * The text of steps. parseSteps reads the same steps back.
 * @param {readonly Pick<StepText, 'op' | 'args'>[]} steps
 * @returns {string}
 */
export function formatSteps(steps) {
  return steps.map(formatStep).join('.').replaceAll('.[', '[');
}

/** @param {Pick<StepText, 'op' | 'args'>} step */
function formatStep({ op: name, args }) {
  const { call, parameters, lists } = STEP_OPS[name];
  if (name === 'index') return `[${(args.index ?? '').replace(/[()[\]{}]/g, '').trim()}]`;
  if (parameters.length === 0) return call;
  const plain = (/** @type {string} */ parameter) => (args[parameter] ?? '').replace(/[()[\]{}.;=]/g, '').trim();
  if (name === 'chunk') return `chunk(${plain('chunks')},${plain('dim')})[${plain('index')}]`;
  if (lists.length === 2) return `${call}(${parameters.map((parameter) => `(${plain(parameter)})`).join(',')})`;
  return `${call}(${parameters.map(plain).join(',').replace(/,+$/, '')})`;
}

/**
 * @param {StepText} step
 * @returns {string | null} the parameter that is still empty
 */
export function missingOf({ op: name, args }) {
  const { parameters, lists, optional } = STEP_OPS[name];
  const needed = parameters.filter((parameter) => !lists.includes(parameter) && !optional.includes(parameter));
  return needed.find((parameter) => !args[parameter]) ?? null;
}

/**
 * The steps as the API reads them. What is no integer stays text, so that its error can name it.
 * @param {readonly StepText[]} steps
 * @returns {string} JSON
 */
export function stepsJson(steps) {
  return `[${steps.map(stepJson).join(', ')}]`;
}

/** @param {StepText} step */
function stepJson({ op: name, args }) {
  const { parameters, lists } = STEP_OPS[name];
  const members = parameters.flatMap((parameter) => {
    const text = args[parameter] ?? '';
    if (lists.includes(parameter)) {
      const integers = text.split(/[\s,]+/).filter((part) => part !== '').map(integerJson);
      return [`"${parameter}": [${integers.join(', ')}]`];
    }
    if (text === '') return [];
    return [`"${parameter}": ${TEXTS.has(parameter) && name !== 'select' && name !== 'chunk' ? JSON.stringify(text) : integerJson(text)}`];
  });
  return `{${[`"op": "${name}"`, ...members].join(', ')}}`;
}

/**
 * A step of each op that the API accepts for these sizes, where there is one, to begin with.
 * @param {string} name
 * @param {readonly (number | string)[]} shape
 * @returns {Record<string, string>}
 */
export function usualArguments(name, shape) {
  const rank = shape.length;
  const last = String(Math.max(0, rank - 1));
  const half = String(Math.ceil(Number(shape[rank - 1] ?? 1) / 2));
  /** @type {Record<string, Record<string, string>>} */
  const usual = {
    permute: { dims: shape.map((_, dim) => rank - 1 - dim).join(',') },
    transpose: { dim0: String(Math.max(0, rank - 2)), dim1: last },
    reshape: { shape: '-1' },
    broadcast: { shape: ['2', ...shape.map(() => '-1')].join(',') },
    chunk: { chunks: '2', dim: '0', index: '0' },
    narrow: { dim: last, start: '0', length: half },
    flip: { dim: last },
    select: { dim: '0', index: '0' },
    unsqueeze: { dim: '0' },
    squeeze: { dim: '' },
    submemory: { offsets: shape.map(() => '0').join(','), sizes: shape.join(',') },
    flatten: { start_dim: '0', end_dim: '-1' },
    unfold: { dim: last, size: half, step: '1' },
    contiguous: { memory_format: 'contiguous_format' },
    T: {},
    mT: {},
    index: { index: '..., ::2' },
  };
  return usual[name];
}
