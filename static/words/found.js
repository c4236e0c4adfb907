import { isUnsized } from '../api/fields.js';
import { counted, sizesText } from './numbers.js';
import { systemName } from './systems.js';

/** @import { FoundTensor, ReadAnswer, TensorFields } from '../api/types.js' */

const MOST_LAYOUT_CHARACTERS = 36;
const MOST_QUOTED = 80;

/**
 * The line of a text, and the primitive that it is about.
 * @param {FoundTensor} tensor
 * @returns {string}
 */
export function lineWords({ line, source, times }) {
  const again = times > 1 ? `, ${times} times` : '';
  return `Line ${line}${source ? `: ${source}` : ''}${again}`;
}

/**
 * A tensor of a text as its parts: role, sizes, type, layout.
 * @param {readonly FoundTensor[]} tensors
 * @param {number} at
 * @returns {{role: string, sizes: string, dtype: string, layout: string}}
 */
export function foundWords(tensors, at) {
  const one = tensors[at];
  const target = one.target === null ? null : tensors[one.target];
  const role = one.role ?? 'tensor';
  return {
    role: target ? `${role} → ${target.role ?? 'target'}` : role,
    sizes: one.shape === null ? 'sizes not printed' : sizesText(one.shape),
    dtype: one.dtype ?? (one.itemsizes ? (one.strides ? 'strides in bytes' : `${counted(one.itemsizes[0], 'byte')} each`) : ''),
    layout: [one, ...(target ? [target] : [])].map(shortLayout).join(' → '),
  };
}

/** @param {FoundTensor} tensor */
function shortLayout({ layout, system }) {
  const text = layout === null ? 'no layout' : layout.replace(`${system}:`, '');
  return text.length > MOST_LAYOUT_CHARACTERS ? `${text.slice(0, MOST_LAYOUT_CHARACTERS)}…` : text;
}

/**
 * @param {number} count
 * @param {number} leftOut
 * @param {number} linesLeft
 * @returns {string} how many tensors are listed and what is not
 */
export function countWords(count, leftOut, linesLeft) {
  const words = [`${count} ${count === 1 ? 'tensor' : 'tensors'} in this text`];
  if (leftOut > 0) words.push(`${leftOut} more are not listed`);
  if (linesLeft > 0) words.push(`the last ${linesLeft} lines were not read`);
  return `${words.join('; ')}.`;
}

/**
 * What a text is that describes tensors: of which system, and whether it is its log.
 * @param {readonly FoundTensor[]} tensors
 */
function kindOfText(tensors) {
  const { system, source, target } = tensors.find(({ problem }) => problem === null) ?? { system: null, source: null, target: null };
  if (target !== null && source === null) return 'two layouts to compare';
  const kind = source ? 'lines of a log' : 'text of a program or a debugger';
  return system ? `${systemName(system)}, ${kind}` : 'text of a session or a log';
}

/**
 * How a text is read, one line each: a name and what is said of it.
 * @param {ReadAnswer} answer
 * @param {Readonly<TensorFields>} before the fields, where the text does not say them
 * @param {Readonly<TensorFields> | null} after the fields with what is taken at once
 * @param {number} linesLeft
 * @returns {[string, string][]}
 */
export function readRows({ system, shape, dtype, layout, strides, tensors, left_out, unread, least_offset }, before, after, linesLeft) {
  const wrong = tensors.filter(({ problem }) => problem !== null).length;
  const stays = isUnsized({ shape, strides }, before) ? `${counted(strides?.length ?? 0, 'size')}, to be typed next` : `${before.shape} stays`;
  const first = tensors.find(({ problem }) => problem === null);
  const base = first?.base;
  const sized = after && first?.itemsizes;
  /** @type {[string, string | false | null | undefined][]} */
  const rows = [
    ['Read as', system ? systemName(system) : kindOfText(tensors)],
    ['Shape', shape ? sizesText(base?.shape ?? shape) : `not said: ${stays}`],
    ['Type', dtype ?? (sized ? `${counted(sized[0], 'byte')}, as ${after?.dtype}` : `not said: ${before.dtype} stays`)],
    ['Layout', layout === null ? `not said: ${after?.layout ?? before.layout}` : (after?.layout ?? 'to be chosen from the list')],
    ['Steps', base && after?.steps],
    ['Result', base && shape && `${sizesText(shape)}, strides ${layout}`],
    ['Offset', least_offset ? `not said: +${least_offset}, the least that these strides need` : null],
    ['In all', tensors.length > 1 && countWords(tensors.length, left_out, linesLeft)],
    ['Of these', wrong > 0 && `${wrong} cannot be read`],
    ['Copied', first?.copied],
    ['Not read', (unread ?? []).map(quoted).join(' · ')],
  ];
  return rows.flatMap(([name, words]) => (words ? [[name, words]] : []));
}

/**
 * The first line of a text, cut where it is long.
 * @param {string} text
 */
export function quoted(text) {
  const line = text.trim().split('\n')[0];
  return line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED)}…` : line;
}

/**
 * A text as a sentence before another one.
 * @param {string} text
 */
export function ended(text) {
  return /[.…!?:]$/.test(text) ? text : `${text}.`;
}
