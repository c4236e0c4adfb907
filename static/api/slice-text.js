import { integerJson } from './exact-json.js';

/**
 * A DML_SLICE1 window as typed: "offsets; sizes; strides", optionally followed by "; output sizes".
 * @typedef {{offsets: string[], sizes: string[], strides: string[], output_sizes: string[] | null}} WindowText
 */

/**
 * The window of a text such as "0,0,0,1; 1,1,4,3; 1,1,2,2", null where it is an index expression.
 * @param {string} text
 * @returns {WindowText | null}
 */
function windowOf(text) {
  const lists = text.split(';').map((list) => list.replace(/^[^\d-]*|[^\d]*$/g, '').split(/[\s,]+/));
  if (lists.length < 3 || lists.length > 4) return null;
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
