/** @typedef {import('../core/types.js').SliceDim} SliceDim */

/**
 * A DML_SLICE1 window as it is typed: "offsets; sizes; strides" and, where wanted, "; output sizes".
 * @typedef {{offsets: string[], sizes: string[], strides: string[], output_sizes: string[] | null}} WindowText
 */

/**
 * The window of a text such as "0,0,0,1; 1,1,4,3; 1,1,2,2", null where it is an index expression.
 * @param {string} text
 * @returns {WindowText | null}
 */
export function windowOf(text) {
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

/**
 * The members of a slice along each dimension, for the drawing. The API has checked the text.
 * @param {string} text
 * @param {readonly number[]} shape
 * @returns {SliceDim[] | null} null where the text selects nothing that one range per dimension says
 */
export function sliceMembers(text, shape) {
  const window = windowOf(text);
  return window ? windowMembers(window, shape) : indexMembers(text, shape);
}

/**
 * @param {WindowText} window
 * @param {readonly number[]} shape
 */
function windowMembers(window, shape) {
  const missing = shape.length - window.offsets.length;
  if (missing < 0) return null;
  return shape.map((extent, dim) => {
    if (dim < missing) return { start: 0, step: 1, count: extent };
    const at = dim - missing;
    const [offset, size, step] = [window.offsets, window.sizes, window.strides].map((list) => Number(list[at]));
    const reachable = 1 + Math.floor((size - 1) / Math.abs(step));
    const count = window.output_sizes ? Number(window.output_sizes[at]) : reachable;
    return { start: step < 0 ? offset + size - 1 : offset, step, count };
  });
}

/**
 * @param {string} text NumPy's basic indexing
 * @param {readonly number[]} shape
 */
function indexMembers(text, shape) {
  const items = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item !== 'None' && item !== 'np.newaxis' && item !== 'newaxis');
  const ellipsis = items.findIndex((item) => item === '...' || item === 'Ellipsis');
  const given = items.length - (ellipsis >= 0 ? 1 : 0);
  if (given > shape.length) return null;
  const filler = Array.from({ length: shape.length - given }, () => ':');
  if (ellipsis >= 0) items.splice(ellipsis, 1, ...filler);
  else items.push(...filler);
  const members = items.map((item, dim) => rangeOf(item, shape[dim]));
  return members.every((member) => member !== null) ? members : null;
}

/**
 * @param {string} item
 * @param {number} extent
 * @returns {SliceDim | null}
 */
function rangeOf(item, extent) {
  if (/^[+-]?\d+$/.test(item)) {
    const index = Number(item);
    return { start: index < 0 ? index + extent : index, step: 1, count: 1 };
  }
  const match = /^([+-]?\d+)?\s*:\s*([+-]?\d+)?\s*(?::\s*([+-]?\d+)?)?$/.exec(item);
  if (!match) return null;
  const step = match[3] === undefined ? 1 : Number(match[3]);
  if (step === 0) return null;
  const [low, high] = step > 0 ? [0, extent] : [-1, extent - 1];
  /** @param {string | undefined} text @param {number} missing */
  const bound = (text, missing) => {
    if (text === undefined) return missing;
    const value = Number(text) < 0 ? Number(text) + extent : Number(text);
    return Math.min(Math.max(value, low), high);
  };
  const start = bound(match[1], step > 0 ? low : high);
  const stop = bound(match[2], step > 0 ? high : low);
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) };
}

/** @param {string} text */
function integerJson(text) {
  return /^-?\d+$/.test(text) ? String(BigInt(text)) : JSON.stringify(text);
}
