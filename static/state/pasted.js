import { ApiProblem, read } from '../api/client.js';
import { denseLayout } from '../api/dense-layout.js';
import { isUnsized, rankOf, shapeQuery } from '../api/fields.js';
import { formatSteps } from '../api/steps-text.js';
import { PICTURE } from './file-sample.js';
import { storyOf } from './story.js';

/** @import { TensorFields, ReadAnswer, FoundTensor } from '../api/types.js' */
/** @import { PageState } from './types.js' */

/**
 * The fields before and after a text was read into them.
 * @typedef {object} Taken
 * @property {Readonly<TensorFields>} before
 * @property {Readonly<TensorFields>} after
 * @property {string} words
 * @property {boolean} [unsized] whether the sizes are to be typed next: those that stay are too many or too few
 * @property {{before: PageState['b'], after: PageState['b']}} [b] the layout compared with, where it changes too
 *
 * The tensors of a pasted text, kept at hand until they are dismissed or replaced.
 * @typedef {object} Pasted
 * @property {readonly FoundTensor[]} tensors
 * @property {number} leftOut tensors that are not listed
 * @property {number} linesLeft lines that were not read
 * @property {number | null} asking the tensor whose element size is asked for
 * @property {Taken | null} opened what was taken when the text was pasted
 */

/** The API's limit. */
const MOST_CHARACTERS = 2 ** 18;
/** Tensors that are offered before anything is taken; a list shows all of them afterwards. */
const MOST_CHOICES = 8;

const USUAL_TYPE = 'float32';
const PICTURE_TYPE = 'uint8';
const PLAIN = /^[\w\s,+()-]*$/;
const SIZES = /\dx\d/;

/**
 * Whether a text may contain more than a layout. Names and plain strides never do.
 * @param {string} text
 * @returns {boolean}
 */
export function mayCarryMore(text) {
  return !PLAIN.test(text) || SIZES.test(text);
}

/**
 * A pasted text as one line of the same length, so that positions stay valid.
 * @param {string} text
 * @returns {string}
 */
export function oneLine(text) {
  return text.replace(/[\r\n\t]/g, ' ');
}

/**
 * The fields after a text was read; null where it says none of them.
 * @param {Readonly<TensorFields>} before
 * @param {Pick<ReadAnswer, 'shape' | 'dtype' | 'layout' | 'strides' | 'least_offset'> & Pick<FoundTensor, 'base'>} read
 * @param {boolean} [told] whether they are those of an example, whose type no other tensor has by it
 * @returns {Taken | null}
 */
export function takenFrom(before, read, told = false) {
  const { dtype, base } = read;
  const { shape, layout: written } = base ?? read;
  if (shape === null && dtype === null && written === null) return null;
  const after = { ...before };
  const words = [];
  if (shape) {
    // Dimension names, steps, slice and buffer belonged to another tensor.
    Object.assign(after, { shape: shape.length > 0 ? shape.join(',') : '()', dims: '', steps: '', slice: '', elements: '' });
    words.push(`shape ${after.shape}`);
  }
  if (dtype) {
    after.dtype = dtype;
    words.push(dtype);
  } else if (shape && told && before.dtype !== USUAL_TYPE) {
    after.dtype = USUAL_TYPE;
    words.push(`no type, so ${USUAL_TYPE}`);
  }
  const layout = written && oneLine(written);
  if (layout !== null) {
    after.layout = layout;
    words.push(layout.length > 24 ? 'the layout' : layout);
    if (read.least_offset) words.push(`offset +${read.least_offset}, the least that these strides need, as the text names none`);
  } else if (shape && shape.length !== rankOf(before.shape)) {
    after.layout = denseLayout(shape);
    words.push(`no layout, so row major: ${after.layout}`);
  } else {
    words.push(`no layout: ${before.layout} stays`);
  }
  if (base) {
    after.steps = stepsText(base.steps);
    words.push(`steps ${after.steps}, which lead to shape ${read.shape?.join(',')} with strides ${read.layout}`);
  }
  return { before, after: Object.freeze(after), words: words.join('; '), ...(isUnsized(read, before) ? { unsized: true } : {}) };
}

/**
 * The fields after steps of a view without a tensor, which follow those that are there.
 * @param {Readonly<TensorFields>} before
 * @param {ReadAnswer['steps']} taken
 * @returns {Taken}
 */
export function stepsTaken(before, taken) {
  const steps = [...(before.steps ? [before.steps] : []), stepsText(taken)].join('.');
  return { before, after: Object.freeze({ ...before, steps }), words: `steps ${steps}` };
}

/** @param {ReadAnswer['steps']} steps */
function stepsText(steps) {
  return formatSteps(steps.map(({ op, ...args }) => ({ op, args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])) })));
}

/**
 * As many whole lines of a text as the API reads.
 * @param {string} text
 * @returns {{text: string, linesLeft: number}}
 */
export function firstLines(text) {
  if (text.length <= MOST_CHARACTERS) return { text, linesLeft: 0 };
  const end = text.lastIndexOf('\n', MOST_CHARACTERS);
  const sent = text.slice(0, end > 0 ? end : MOST_CHARACTERS);
  const rest = text.slice(sent.length + 1);
  return { text: sent, linesLeft: rest.trim() === '' ? 0 : rest.trimEnd().split('\n').length };
}

/**
 * Asks what a pasted text says, and what that does to the page as it is then.
 * @param {{state: PageState}} session
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<{answer: ReadAnswer, linesLeft: number, pasted: Pasted | null, taken: Taken | null}>}
 * @throws {import('../api/client.js').ApiProblem} where it says nothing
 */
export async function readPasted(session, text, signal) {
  const { text: sent, linesLeft } = firstLines(text);
  const answer = await read(sent, signal);
  return { answer, linesLeft, ...received(session.state, answer, linesLeft) };
}

/**
 * The same, null where the text says nothing or the question was given up.
 * @param {{state: PageState}} session
 * @param {string} text
 * @param {AbortSignal} signal
 */
export function readIfSaid(session, text, signal) {
  return readPasted(session, text, signal).catch((error) => {
    if (error instanceof ApiProblem || signal.aborted) return null;
    throw error;
  });
}

/**
 * What a pasted text does to the page: the tensors to keep at hand, and what is taken at once.
 * @param {PageState} state
 * @param {ReadAnswer} read
 * @param {number} [linesLeft]
 * @returns {{pasted: Pasted | null, taken: Taken | null}} both null where it says a layout at most
 */
export function received(state, read, linesLeft = 0) {
  const { tensors, left_out } = read;
  const first = tensors.findIndex(({ problem }) => problem === null);
  if (first < 0) return { pasted: null, taken: read.shape || read.dtype ? takenFrom(state.a, read, isTold(state)) : null };
  const asks = asksForSize(tensors[first]);
  const taken = asks ? null : takenOf(state, tensors, first);
  if (tensors.length === 1 && !asks) return { pasted: null, taken };
  const pasted = { tensors, leftOut: left_out, linesLeft, asking: asks ? first : null, opened: taken };
  return { pasted: Object.freeze(pasted), taken };
}

/** Whether the type is that of an example, or of the built-in picture. @param {PageState} state */
function isTold(state) {
  return storyOf(state) !== null || (state.sample === PICTURE && state.a.dtype === PICTURE_TYPE);
}

/**
 * What changes where a shape of one's own was typed in place of the built-in picture's: the type that came with it goes with
 * it, one that was chosen stays.
 * @param {PageState} state
 * @returns {Partial<PageState> | null} null where the picture is not there
 */
export function withoutPicture({ a, sample }) {
  if (sample !== PICTURE) return null;
  return { sample: '', a: a.dtype === PICTURE_TYPE ? Object.freeze({ ...a, dtype: USUAL_TYPE }) : a };
}

/**
 * Whether strides in bytes fit elements of several sizes.
 * @param {FoundTensor} tensor
 */
export function asksForSize({ itemsizes }) {
  return itemsizes !== null && itemsizes.length > 1;
}

/**
 * The fields after one of the tensors of a text is chosen. A reorder fills A and B.
 * @param {PageState} state
 * @param {readonly FoundTensor[]} tensors
 * @param {number} at
 * @param {number | null} [itemsize_bytes] where the text does not say it
 * @returns {Taken | null} null for a tensor that cannot be read
 */
export function takenOf(state, tensors, at, itemsize_bytes = null) {
  const one = tensors[at];
  if (one.problem !== null) return null;
  const { a, b } = state;
  const size = itemsize_bytes ?? one.itemsizes?.[0] ?? null;
  const taken = takenFrom(a, { ...one, dtype: one.dtype ?? (size === null ? null : typeOfSize(size)) }, isTold(state));
  const target = one.target === null ? null : tensors[one.target];
  if (taken === null) return null;
  const after = Object.freeze({ ...taken.after, dims: one.dims ?? taken.after.dims });
  const { unsized } = taken;
  const words = [taken.words, ...(one.shape ? [] : [`the text does not say the sizes${unsized ? '' : `: ${a.shape} stays`}`])];
  if (target?.layout) {
    const dtype = target.dtype ?? after.dtype;
    const other = dtype !== after.dtype ? `, as ${dtype}` : '';
    words.push(`compared with ${one.source === null ? '' : 'what it writes: '}${oneLine(target.layout)}${other}`);
    const beside = Object.freeze({ ...after, layout: oneLine(target.layout), dtype });
    return { before: a, after, words: words.join('; '), b: { before: b, after: beside } };
  }
  const written = tensors.some((other) => other.target !== null && tensors[other.target].layout === b?.layout);
  const unfit = b !== null && (written || rankOf(after.shape) !== rankOf(a.shape));
  return { before: a, after, words: words.join('; '), ...(unsized && { unsized }), ...(unfit ? { b: { before: b, after: null } } : {}) };
}

/**
 * The tensors of a text that may be taken instead of the one that is taken at once; of a reorder also each
 * of the two without the other.
 * @param {PageState} state
 * @param {Pasted} pasted
 * @returns {{tensors: FoundTensor[], pasted: Pasted, taken: Taken | null}[]} each with what it does to the page
 */
export function choicesOf(state, pasted) {
  const { tensors } = pasted;
  const first = tensors.findIndex(({ problem }) => problem === null);
  const choices = tensors.flatMap((one, at) => {
    if (one.problem !== null) return [];
    const alone = one.target === null ? [] : [[{ ...one, target: null }]];
    const whole = at === first ? [] : [[one, ...(one.target === null ? [] : [tensors[one.target]])]];
    return [...whole, ...alone].map((chosen) => ({ chosen, at }));
  });
  return choices.slice(0, MOST_CHOICES).map(({ chosen: [one, target], at }) => {
    const asks = asksForSize(one);
    const own = target ? [{ ...one, target: 1 }, target] : [one];
    const taken = asks ? null : takenOf(state, own, 0);
    return { tensors: own, pasted: Object.freeze({ ...pasted, asking: asks ? at : null, opened: taken }), taken };
  });
}

/**
 * Whether the fields show a tensor of a pasted text.
 * @param {PageState} state
 * @param {readonly FoundTensor[]} tensors
 * @param {number} at
 */
export function isShown(state, tensors, at) {
  const one = tensors[at];
  const target = one.target === null ? null : tensors[one.target].layout;
  const { shape, layout, dtype, steps } = state.a;
  const own = one.base ?? one;
  const same = own.shape !== null && shapeQuery(shape) === own.shape.join(',') && layout === (own.layout && oneLine(own.layout)) && steps === (one.base ? stepsText(one.base.steps) : '');
  return same && (one.dtype === null || one.dtype === dtype) && (target === null || target === state.b?.layout);
}

/**
 * A type to begin with, of a given size.
 * @param {number} bytes
 */
export function typeOfSize(bytes) {
  return { 1: 'uint8', 2: 'float16', 4: 'float32', 16: 'complex128' }[bytes] ?? 'float64';
}
