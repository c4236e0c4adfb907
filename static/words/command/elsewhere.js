import { ApiProblem, catalogue, read } from '../../api/client.js';
import { describeQuery } from '../../api/fields.js';
import { layouts } from './listed.js';

/** @import { Catalogue } from '../../api/types.js' */
/** @import { Entry } from './search.js' */

/** Sizes beside a word, as 16,16,3,3 OIhw4i16o4i. */
const SIZED = /^\D?\d+(?:\s?[x,]\s?\d+)+\D?\s+[a-z]\S*$|^[a-z]\S*\s+\D?\d+(?:\s?[x,]\s?\d+)+\D?$/i;
const MORE = /\dx\d|->|=>|→|\svs\.?\s/i;
/** A list of numbers beside a word, as what a debugger prints of strides. */
const LISTED = /[a-z].*[([{]\s*\d+L?\s*,[^()[\]{}]*[)\]}]/is;
/** Sizes that show the blocks of most named layouts, by the dimension; no block has more than 64 channels. */
const SIZES = Object.freeze(/** @type {Record<string, number>} */ ({ N: 2, G: 2, C: 64, O: 64, I: 64 }));
const OTHER_SIZE = 4;

/**
 * Whether a text has sizes or strides beside a word, or two layouts.
 * @param {string} text
 */
export function saysMore(text) {
  return MORE.test(text) || SIZED.test(text.trim()) || LISTED.test(text);
}

/**
 * @param {readonly (number | string | bigint)[]} shape
 * @param {string} layout
 * @param {string} [dtype]
 */
function explorerHref(shape, layout, dtype = '') {
  return `/?${describeQuery({ shape: shape.join(','), layout, dtype, dims: '', steps: '', slice: '', elements: '' })}`;
}

/**
 * The named layouts, each as a link that opens it in the explorer.
 * @param {Catalogue | null} listed
 * @returns {Entry[]}
 */
export function layoutLinks(listed) {
  return layouts(listed, undefined, ({ name, dims }) => ({ href: explorerHref(Array.from(dims, (dim) => SIZES[dim] ?? OTHER_SIZE), name) }), 'In the explorer. ');
}

/** What a page without a layout of its own asks the server for its search: the named layouts, and what sizes beside a word are. */
export const ELSEWHERE = Object.freeze({
  catalogue: () => unlessRefused(catalogue(new AbortController().signal)),

  /**
   * @param {string} text
   * @param {AbortSignal} signal
   * @returns {Promise<Entry[]>} a link to the tensor in the explorer; none where the text names none
   */
  async reading(text, signal) {
    const said = saysMore(text) ? await unlessRefused(read(text, signal)) : null;
    if (!said?.shape || !said.layout) return [];
    const { shape, layout, dtype } = said;
    return [{ kind: 'layout', title: `${layout} of ${shape.join(',')}`, about: 'Opens in the explorer.', href: explorerHref(shape, layout, dtype ?? '') }];
  },
});

/**
 * @template Answer
 * @param {Promise<Answer>} asked
 * @returns {Promise<Answer | null>} null where the server refuses or does not answer, or the question was given up
 */
function unlessRefused(asked) {
  return asked.catch((error) => {
    if (error instanceof ApiProblem || error.name === 'AbortError') return null;
    throw error;
  });
}
