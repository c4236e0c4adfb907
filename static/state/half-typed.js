import { describe } from '../api/client.js';
import { rowMajor } from '../api/dense-layout.js';
import { rankOf, shapeQuery } from '../api/fields.js';
import { STEP_OPS } from '../api/steps-text.js';

/** @import { Catalogue, FieldProblem, TensorFields } from '../api/types.js' */
/** @import { TypedName } from './typing.js' */
/** @import { ShownProblem } from './types.js' */
/** @typedef {{words: string, fields: Partial<TensorFields>}} Offer a way out of an error, by one press */

/**
 * Why a text is no mistake yet: it is the beginning of names; some of the sizes, strides or letters are
 * missing; or it just ends too early. `right`: it is a layout already, which is taken when the field is left.
 * @typedef {{kind: 'names', names: readonly string[], right?: boolean} | {kind: 'count', have: number, want: number} | {kind: 'open'}} HalfTyped
 */

/**
 * What is known beside the text.
 * @typedef {object} Known
 * @property {Readonly<TensorFields>} fields with the text
 * @property {readonly FieldProblem[]} problems what the API says of it
 * @property {Catalogue | null} catalogue
 * @property {Iterable<string>} types names of the element types
 * @property {number | null} rank of the tensor on screen
 * @property {string | null} buffer elements of the buffer on screen, in digits
 */

const STRIDES = /^[-+\d\s,;(){}[\]]+$/;
const OPEN_END = /[-+,;:*x×([{.]\s*$/i;
const OPENING = /^[\s([{]*$/;
const SIZES = /^\s*\d+(\s*[,x×]\s*\d+)*\s*$/i;

/**
 * How a refused text may go on to a right one; null where going on does not mend it.
 * @param {TypedName} name of the field that is being typed into
 * @param {Known} known
 * @returns {HalfTyped | null}
 */
export function halfTyped(name, known) {
  const text = known.fields[name];
  if (OPENING.test(text)) return { kind: 'open' };
  switch (name) {
    case 'shape':
      return halfShape(text, known);
    case 'layout':
      return halfName(text, known) ?? halfLetters(text, known) ?? halfStrides(text, rankOf(known.fields.shape)) ?? endsEarly(text, known.problems);
    case 'dtype':
      return among(text, known.types);
    case 'dims':
      return counted([...new Set(text.trim())].length === text.trim().length ? text.trim().length : null, rankOf(known.fields.shape));
    case 'elements':
      return /^\s*\d+\s*$/.test(text) && text.trim().length < (known.buffer ?? '').length ? { kind: 'open' } : null;
    case 'steps':
      return halfCall(text) ?? endsEarly(text, known.problems);
    case 'slice':
      return OPEN_END.test(text) ? { kind: 'open' } : endsEarly(text, known.problems);
  }
}

/**
 * Whether a layout that is right may still be on its way to a name: a letter for each size that are no name, with which
 * names begin, as the NCH of NCHW. Nobody who types NCHW4 means it, so it is taken once the typing rests, and in an example,
 * whose readers type slowly, once the field is left. Whatever ends in a digit or is a name, as NCHW, is shown at once,
 * though a longer name may follow.
 * @param {Readonly<TensorFields>} fields
 * @param {Catalogue | null} catalogue
 */
export function isBeginning(fields, catalogue) {
  const typed = fields.layout.trim().toLowerCase();
  if (!/^[a-z]+$/.test(typed) || typed.length !== rankOf(fields.shape)) return false;
  const begun = catalogue?.formats.map(({ name }) => name.toLowerCase()).filter((name) => name.startsWith(typed)) ?? [];
  return begun.length > 0 && !begun.includes(typed);
}

/**
 * @param {string} text
 * @param {Known} known
 * @returns {HalfTyped | null}
 */
function halfShape(text, { rank, problems }) {
  const sizes = shapeQuery(text).split(',').filter((size) => size !== '');
  const complete = sizes.every((size) => /^\d+$/.test(size));
  // The layout that was typed before may need more sizes than the tensor on screen has.
  const wanted = Math.max(rank ?? 0, ...problems.map((problem) => problem.sizes ?? 0));
  if (complete) return counted(sizes.length, wanted) ?? (OPEN_END.test(text) ? { kind: 'open' } : null);
  // An x at the end is not read as a separator yet.
  const last = sizes.pop() ?? '';
  return /^\d+[x×*]$/i.test(last) && sizes.every((size) => /^\d+$/.test(size)) ? { kind: 'open' } : null;
}

/**
 * Names that go on where the text ends. A whole name that does not fit waits for longer ones of the
 * tensor's rank alone.
 * @param {string} text
 * @param {Known} known
 * @returns {HalfTyped | null}
 */
function halfName(text, { catalogue, fields, problems }) {
  if (!catalogue) return null;
  const typed = text.trim().toLowerCase();
  const rank = rankOf(fields.shape);
  const forced = typed.includes(':');
  const entries = catalogue.formats.map((format) => ({ ...format, name: forced ? `${format.system}:${format.name}` : format.name }));
  const whole = entries.some(({ name }) => name.toLowerCase() === typed);
  const longer = entries.filter(({ name }) => name.length > typed.length && name.toLowerCase().startsWith(typed));
  const fitting = longer.filter((format) => format.rank === rank);
  const names = [...fitting, ...(whole ? [] : longer), ...(forced || whole ? [] : prefixes(catalogue, typed))].map((one) => (typeof one === 'string' ? one : one.name));
  return names.length > 0 ? { kind: 'names', names: [...new Set(names)], right: problems.length === 0 } : null;
}

/**
 * Letters of fewer dimensions than the tensor has, or a tag of oneDNN whose blocks are still missing: the
 * aBcd of aBcd4b.
 * @param {string} text
 * @param {Known} known
 * @returns {HalfTyped | null}
 */
function halfLetters(text, { fields, problems }) {
  const tag = text.replace(/^.*:/, '').trim();
  const letters = tag.toLowerCase();
  const rank = rankOf(fields.shape);
  if (!/^[a-z]+$/.test(letters) || new Set(letters).size < letters.length || letters.length > rank) return null;
  const few = letters.length < rank && problems.every(({ field }) => field === 'shape');
  const unblocked = /[A-Z]/.test(tag) && /[a-z]/.test(tag) && 'abcdefghijkl'.startsWith([...letters].sort().join(''));
  return few || unblocked ? { kind: 'open' } : null;
}

/**
 * @param {Catalogue} catalogue
 * @param {string} typed
 */
function prefixes({ systems }, typed) {
  return systems.map((system) => `${system}:`).filter((prefix) => prefix.startsWith(typed));
}

/**
 * @param {string} text
 * @param {number} rank
 * @returns {HalfTyped | null}
 */
function halfStrides(text, rank) {
  if (!STRIDES.test(text)) return null;
  const strides = text.split('+')[0].match(/-?\d+/g) ?? [];
  return counted(strides.length, rank) ?? (OPEN_END.test(text) ? { kind: 'open' } : null);
}

/**
 * @param {string} text
 * @param {readonly FieldProblem[]} problems
 * @returns {HalfTyped | null}
 */
function endsEarly(text, problems) {
  const end = text.trimEnd().length;
  return problems.some(({ position }) => position !== null && position >= end) ? { kind: 'open' } : null;
}

/**
 * The beginning of a step's name, or a name without its arguments.
 * @param {string} text
 * @returns {HalfTyped | null}
 */
function halfCall(text) {
  const typed = /[A-Za-z_]\w*$/.exec(text.trimEnd())?.[0];
  return typed ? among(typed, Object.values(STEP_OPS).map(({ call }) => `${call}(`)) : null;
}

/**
 * @param {string} text
 * @param {Iterable<string>} all
 * @returns {HalfTyped | null}
 */
function among(text, all) {
  const typed = text.trim().toLowerCase();
  const names = [...all].filter((name) => name.length > typed.length && name.toLowerCase().startsWith(typed));
  return names.length > 0 ? { kind: 'names', names } : null;
}

/**
 * @param {number | null} have
 * @param {number | null} want
 * @returns {HalfTyped | null}
 */
function counted(have, want) {
  return have !== null && want !== null && have < want ? { kind: 'count', have, want } : null;
}

/**
 * The shape to offer where a layout needs more sizes than were typed: sizes of 1 in front, and as many elements
 * of each dimension as fill its blocks, for a block of padding shows little.
 * @param {Readonly<TensorFields>} fields
 * @param {readonly Pick<FieldProblem, 'sizes'>[]} problems what the API says of them
 * @param {AbortSignal} signal
 * @returns {Promise<string>} empty where there is none, or the layout does not take it
 */
export async function fullShape(fields, problems, signal) {
  const wanted = problems.find(({ sizes }) => sizes !== undefined)?.sizes ?? 0;
  const missing = wanted - rankOf(fields.shape);
  if (missing <= 0 || !SIZES.test(fields.shape)) return '';
  const shape = [...Array(missing).fill('1'), shapeQuery(fields.shape)].join(',');
  const description = await describe({ ...fields, shape }, signal).catch(() => null);
  return (description?.padded_shape ?? description?.shape ?? []).join(',');
}

/**
 * A layout that was asked for by name, with sizes that show it: one of more dimensions comes with as many as fill its
 * blocks, one of fewer with the last ones.
 * @param {Readonly<TensorFields>} fields
 * @param {string} layout
 * @param {number | undefined} rank that it has, where it is known
 * @returns {Promise<Partial<TensorFields>>}
 */
export async function withSizes(fields, layout, rank) {
  if (rank === undefined || rank === rankOf(fields.shape)) return { layout };
  const asked = { ...fields, layout, shape: shapeQuery(fields.shape), dims: '' };
  const full = await fullShape(asked, [{ sizes: rank }], new AbortController().signal);
  return { layout, shape: full || asked.shape.split(',').slice(-rank).join(','), dims: '' };
}

/**
 * What may be meant where the shape and the layout differ in their number of sizes.
 * @param {string} name of the field that was typed into
 * @param {Pick<TensorFields, 'shape' | 'layout'>} fields as they were typed
 * @param {readonly ShownProblem[]} problems of this field
 * @param {number | undefined} rank of the tensor on screen
 * @returns {Offer[]}
 */
export function offersFor(name, { shape, layout: typed }, problems, rank) {
  if (!SIZES.test(shape)) return [];
  const sizes = rankOf(shape);
  const layout = name === 'shape' && sizes !== rank ? lettersOf(sizes, typed) : null;
  const full = problems.find((problem) => problem.full)?.full;
  return [
    ...(layout === null ? [] : [{ words: `or take the layout ${layout}`, fields: { layout, dims: '' } }]),
    ...(full ? [{ words: `or take the shape ${full}`, fields: { shape: full } }] : []),
  ];
}

/**
 * A layout of so many sizes: the typed one without the letters that are missing, as HWC for NHWC, if that leaves all
 * others; else row-major memory.
 * @param {number} sizes
 * @param {string} typed
 */
function lettersOf(sizes, typed) {
  const plain = rowMajor(sizes);
  const [, letters, block] = /^([A-Z]+)(\d*)$/.exec(typed.trim().toUpperCase()) ?? ['', '', ''];
  const left = [...letters].filter((letter) => plain?.includes(letter));
  if (!plain || [...left].sort().join('') !== [...plain].sort().join('')) return plain;
  return left.join('') + (left.includes('C') ? block : '');
}
