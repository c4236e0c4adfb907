/**
 * Reads the loops of a walk, outermost first: "NHWC", "n, h, w, c", "batch row column".
 * @param {string} text
 * @param {readonly string[]} dims
 * @returns {{order: readonly number[]} | {problem: 'unknown' | 'twice' | 'missing', name: string}}
 */
export function readOrder(text, dims) {
  const parts = partsOf(text.trim(), dims);
  // A link may say a, b, c … of a tensor that has names only beside another.
  const counted = dims.map((_, dim) => String.fromCharCode(97 + dim));
  const own = parts.every((name) => dimOf(name, dims) >= 0);
  return readOrderOf(parts, !own && counted.every((name) => parts.includes(name)) ? counted : dims);
}

/**
 * @param {readonly string[]} parts
 * @param {readonly string[]} dims
 * @returns {ReturnType<typeof readOrder>}
 */
function readOrderOf(parts, dims) {
  /** @type {number[]} */
  const order = [];
  for (const name of parts) {
    const dim = dimOf(name, dims);
    if (dim < 0) return { problem: 'unknown', name };
    if (order.includes(dim)) return { problem: 'twice', name };
    order.push(dim);
  }
  const missing = dims.findIndex((_, dim) => !order.includes(dim));
  if (missing >= 0) return { problem: 'missing', name: dims[missing] };
  return { order: Object.freeze(order) };
}

/**
 * @param {readonly number[]} order
 * @param {readonly string[]} dims
 * @returns {string} which readOrder reads back
 */
export function orderText(order, dims) {
  return order.map((dim) => dims[dim]).join(isLettered(dims) ? '' : ' ');
}

/**
 * The order after one loop has moved.
 * @param {readonly number[]} order
 * @param {number} from place of the loop
 * @param {number} to place where it is then; beyond an end: that end
 * @returns {readonly number[]}
 */
export function movedTo(order, from, to) {
  const rest = order.filter((_, at) => at !== from);
  const place = Math.max(0, Math.min(rest.length, to));
  return Object.freeze([...rest.slice(0, place), order[from], ...rest.slice(place)]);
}

/**
 * @param {string} text
 * @param {readonly string[]} dims
 */
function partsOf(text, dims) {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return isLettered(dims) && words.length === 1 ? [...words[0]] : words;
}

/** @param {readonly string[]} dims */
function isLettered(dims) {
  return dims.every((name) => [...name].length === 1);
}

/**
 * @param {string} name
 * @param {readonly string[]} dims
 */
function dimOf(name, dims) {
  const exact = dims.indexOf(name);
  return exact >= 0 ? exact : dims.findIndex((dim) => dim.toLowerCase() === name.toLowerCase());
}
