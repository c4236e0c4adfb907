import { windowLists } from '../core/slice/cuts.js';
import { integerJson } from './exact-json.js';

/**
 * A DML_SLICE1 window as typed: "offsets; sizes; strides", optionally followed by "; output sizes".
 * @typedef {{offsets: string[], sizes: string[], strides: string[], output_sizes: string[] | null}} WindowText
 */

/**
 * @param {string} text
 * @returns {WindowText | null} null where it is an index expression
 */
function windowOf(text) {
  const lists = windowLists(text);
  if (!lists) return null;
  const [offsets, sizes, strides, output_sizes = null] = lists;
  return { offsets, sizes, strides, output_sizes };
}

/**
 * The part of POST /slice that says which slice: `"window": …` or `"index": …`.
 * @param {string} text
 * @returns {string} JSON of one member of an object
 */
export function sliceJson(text) {
  const window = windowOf(text);
  if (!window) return `"index": ${JSON.stringify(text.trim().replace(/^\[|\]$/g, ''))}`;
  const lists = Object.entries(window)
    .filter(([, list]) => list !== null)
    .map(([name, list]) => `"${name}": [${(list ?? []).map(integerJson).join(', ')}]`);
  return `"window": {${lists.join(', ')}}`;
}
