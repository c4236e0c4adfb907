import { sizesText } from './numbers.js';
import { withoutSystem } from './systems.js';

/** @import { FoundTensor } from '../api/types.js' */

const MOST_LAYOUT_CHARACTERS = 36;

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
    dtype: one.dtype ?? (one.itemsizes ? 'strides in bytes' : ''),
    layout: [one, ...(target ? [target] : [])].map(({ layout }) => shortLayout(layout)).join(' → '),
  };
}

/** @param {string | null} layout */
function shortLayout(layout) {
  const text = layout === null ? 'no layout' : withoutSystem(layout);
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
