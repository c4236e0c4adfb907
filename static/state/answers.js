import { ApiProblem } from '../api/client.js';
import { opensOnBlock } from '../core/grid/blocks.js';
import { createTensor } from '../core/layout/tensor.js';

/** @import { TensorFields, Description, FieldProblem } from '../api/types.js' */
/** @import { Answer, ShownProblem, Side } from './types.js' */
/** @import { Session } from './session.js' */
/** @import { Typing } from './typing.js' */

/** @import { ViewChain } from '../api/view-chain.js' */

/** @typedef {Side | 'slice' | 'steps'} Part whose errors are known apart */
/** @typedef {Record<Part, readonly FieldProblem[]>} Found what the API refuses */
/** @typedef {Readonly<Record<Part, readonly ShownProblem[]>>} Shown */

/** @type {Shown} */
export const NO_PROBLEMS = Object.freeze({ a: [], b: [], slice: [], steps: [] });

/**
 * @param {{side: Side, name: string}} field
 * @returns {Part} whose errors stand at the field
 */
export function partOf({ side, name }) {
  return name === 'slice' || name === 'steps' ? name : side;
}

/**
 * @param {TensorFields} fields
 * @param {Description} stored of the tensor before the steps of a view
 * @param {ViewChain | null} chain
 * @param {ReadonlyMap<string, number>} elementTypes
 * @returns {Answer}
 */
export function answerOf(fields, stored, chain, elementTypes) {
  const description = chain?.shown ?? stored;
  const itemsize_bits = elementTypes.get(description.dtype);
  if (itemsize_bits === undefined) {
    const message = `This page is older than the server and does not know ${description.dtype}: load it again.`;
    throw new ApiProblem([{ field: 'dtype', message, position: null }]);
  }
  const answer = { fields, description, itemsize_bits, chain };
  try {
    const memory = createTensor(stored);
    // The view lies in the memory of the whole tensor.
    const tensor = chain?.shown ? createTensor({ ...chain.shown, buffer: stored.buffer }) : memory;
    return { ...answer, tensor, memory: { description: stored, tensor: memory }, undrawable: null };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...answer, tensor: null, memory: { description: stored, tensor: null }, undrawable: error.message };
  }
}

/**
 * Both answers with one set of letters: dimensions that a notation only counts, as a, b, c …, take the
 * other's names. Else one letter could mean two dimensions of the same tensor.
 * @param {Readonly<Record<Side, Answer | null>>} own as they were answered
 * @param {ReadonlyMap<string, number>} elementTypes
 * @returns {Record<Side, Answer | null>}
 */
export function sharedLetters({ a, b }, elementTypes) {
  return a && b ? { a: lettered(a, b, elementTypes), b: lettered(b, a, elementTypes) } : { a, b };
}

/**
 * @param {Answer} answer
 * @param {Answer} other
 * @param {ReadonlyMap<string, number>} elementTypes
 * @returns {Answer}
 */
function lettered(answer, other, elementTypes) {
  const { memory, chain } = answer;
  const [own, names] = [memory.description.dims, other.memory.description.dims].map((dims) => [...dims]);
  if (!isCounted(own) || isCounted(names) || own.length !== names.length) return answer;
  /** @template {{dims: string | readonly string[]}} T @param {T} one @returns {T} */
  const named = (one) => ({ ...one, written: one.dims, dims: Array.from(one.dims, (letter) => names[own.indexOf(letter)] ?? letter).join('') });
  const taken = chain && {
    ...chain,
    results: chain.results.map(named),
    shown: chain.shown && named(chain.shown),
    breaks: chain.breaks && { ...chain.breaks, before: named(chain.breaks.before) },
  };
  return answerOf(answer.fields, named(memory.description), taken, elementTypes);
}

/** @param {readonly string[]} dims */
function isCounted(dims) {
  return dims.every((letter, dim) => letter.toLowerCase() === String.fromCharCode(97 + dim));
}

/**
 * Why the steps cannot all be taken in B, where the list of steps speaks of A.
 * @param {ViewChain | null} chain
 * @returns {FieldProblem[]}
 */
export function stopOf(chain) {
  if (!chain?.breaks) return [];
  const { step, op, reason } = chain.breaks;
  return [{ field: 'steps', message: `step ${step + 1} (${op}) needs a copy: ${reason}`, position: null }];
}

/**
 * Whether an answer is the answer to these fields.
 * @param {Answer | null} answer
 * @param {TensorFields} fields
 * @returns {answer is Answer}
 */
export function isAnswer(answer, fields) {
  return answer !== null && JSON.stringify(answer.fields) === JSON.stringify({ ...fields, slice: '' });
}

/**
 * Where errors are shown: at the field that was typed into, if all was right before or it does not fit the other one,
 * else at the field that the API names. Those of B stand at B's layout, the only field that it has.
 * @param {Found} found
 * @param {Pick<Typing, 'field' | 'blamed'>} typing
 * @returns {Shown}
 */
export function placed(found, { field, blamed }) {
  const typed = field?.side === 'a' && partOf(field) === 'a' ? field.name : null;
  /** @param {FieldProblem} problem whether the field that was typed into made it: of two that differ it is the last one */
  const isMade = ({ sizes }) => blamed || (sizes !== undefined && (typed === 'shape' || typed === 'layout'));
  // B has A's shape: where A is wrong, its error is shown already.
  const b = found.a.length === 0 ? found.b : found.b.filter((problem) => problem.field === 'layout');
  return {
    a: found.a.map((problem) => at(problem, typed && isMade(problem) ? typed : problem.field)),
    b: b.map((problem) => at(problem, 'layout')),
    slice: found.slice.map((problem) => at(problem, problem.field)),
    steps: found.steps.map((problem) => at(problem, problem.field)),
  };
}

/**
 * @param {FieldProblem} problem
 * @param {FieldProblem['field']} field
 * @returns {ShownProblem}
 */
function at(problem, field) {
  if (problem.field === 'other' || problem.field === field) return { ...problem, about: problem.field };
  return { ...problem, field, about: problem.field, position: null };
}

/**
 * What stays on screen while a key follows the other: errors that still hold, except at the field that
 * is being typed into.
 * @param {Shown} shown
 * @param {Found} found
 * @param {Typing['field']} field
 * @returns {Shown}
 */
export function stillShown(shown, found, field) {
  /** @param {Part} part */
  const kept = (part) => {
    const own = field && partOf(field);
    if (found[part].length === 0) return [];
    return shown[part].filter((problem) => part !== own || problem.field !== field?.name);
  };
  return { a: kept('a'), b: kept('b'), slice: kept('slice'), steps: kept('steps') };
}

/**
 * Whether the grids open on a block, and their cells say coordinates: those of both memories where one needs it.
 * @param {Session} session
 */
export function opensNear(session) {
  return Object.values(session.answers).some((answer) => {
    const tensor = answer?.memory.tensor;
    return tensor && opensOnBlock(tensor) && !session.valuesFor(tensor);
  });
}

/**
 * What the cells are to say.
 * @param {Session} session
 */
export function textFor(session) {
  const { text } = session.state;
  return text === 'auto' && opensNear(session) ? 'coords' : text;
}
