/**
 * What a slice takes along one dimension: of the indices from `low` to before `high` each `step`-th, a negative
 * step from the last one backwards.
 * @typedef {object} Cut
 * @property {number} low
 * @property {number} high
 * @property {number} step not 0
 * @property {boolean} index a single index, whose dimension goes away
 *
 * @typedef {object} Cuts a slice as its controls show it
 * @property {readonly Cut[]} cuts one for each dimension
 * @property {readonly number[]} axes before which dimensions new axes come; of an index expression
 * @property {boolean} window written as offsets, sizes and strides
 * @property {readonly number[] | null} most of a window: the sizes of its result, where they are given
 *
 * @typedef {import('../layout/picked.js').Pick} Pick
 */

const NEW_AXIS = /^(?:None|(?:np\.|numpy\.)?newaxis)$/;
const ELLIPSIS = /^(?:\.\.\.|Ellipsis)$/;
const INTEGER = /^[+-]?\d+$/;

/**
 * The lists of a window such as "0,0,0,1; 1,1,4,3; 1,1,2,2", null where the text is an index expression.
 * @param {string} text
 * @returns {string[][] | null} offsets, sizes, strides, and sizes of the result where they are given
 */
export function windowLists(text) {
  const lists = text.split(';').map((list) => list.replace(/^[^\d-]*|[^\d]*$/g, '').split(/[\s,]+/));
  return lists.length === 3 || lists.length === 4 ? lists : null;
}

/**
 * Reads the text of a slice. An empty text takes everything.
 * @param {string} text
 * @param {readonly number[]} shape
 * @returns {Cuts | null} null for what is wrong, and for what controls cannot show
 */
export function readCuts(text, shape) {
  const lists = windowLists(text);
  return lists ? windowCuts(lists, shape) : indexCuts(text.trim().replace(/^\[|\]$/g, ''), shape);
}

/**
 * @param {Cuts} slice
 * @param {readonly number[]} shape
 * @returns {string} which readCuts reads back; empty where everything is taken
 */
export function writeCuts({ cuts, axes, window }, shape) {
  if (window) {
    const lists = [cuts.map(({ low }) => low), cuts.map(({ low, high }) => high - low), cuts.map(({ step }) => step)];
    return lists.map((list) => list.join()).join('; ');
  }
  const texts = cuts.map((cut, dim) => cutText(cut, shape[dim]));
  /** @type {string[]} */
  const parts = [];
  for (let dim = 0; dim <= texts.length; dim += 1) {
    for (const axis of axes) if (axis === dim) parts.push('None');
    if (dim < texts.length) parts.push(texts[dim]);
  }
  while (parts.at(-1) === ':') parts.pop();
  const whole = parts.findIndex((part) => part !== ':');
  return whole > 1 ? ['...', ...parts.slice(whole)].join(', ') : parts.join(', ');
}

/**
 * The same slice with another cut. Given sizes of a window's result are let go: they were for the one before.
 * @param {Cuts} slice
 * @param {number} dim
 * @param {Partial<Cut>} change
 * @returns {Cuts}
 */
export function changeCut(slice, dim, change) {
  const cuts = slice.cuts.map((cut, at) => (at === dim ? Object.freeze({ ...cut, ...change }) : cut));
  return Object.freeze({ ...slice, cuts: Object.freeze(cuts), most: null });
}

/**
 * What the slice takes, as the API answers it.
 * @param {Cuts} slice
 * @returns {readonly Pick[]}
 */
export function picksOf({ cuts, axes, most }) {
  /** @type {Pick[]} */
  const picks = [];
  for (let dim = 0; dim <= cuts.length; dim += 1) {
    for (const axis of axes) if (axis === dim) picks.push({ dim: null, start: 0, step: 1, count: 1, kept: true });
    if (dim === cuts.length) break;
    const { low, high, step, index } = cuts[dim];
    const all = high > low ? 1 + Math.floor((high - low - 1) / Math.abs(step)) : 0;
    const count = most ? Math.min(all, most[dim]) : all;
    picks.push({ dim, start: step > 0 ? low : high - 1, step: index ? 1 : step, count, kept: !index });
  }
  return picks;
}

/**
 * @param {readonly string[][]} lists
 * @param {readonly number[]} shape
 * @returns {Cuts | null}
 */
function windowCuts(lists, shape) {
  if (lists.some((list) => list.length !== shape.length || !list.every((part) => INTEGER.test(part)))) return null;
  const [offsets, sizes, strides, most = null] = lists.map((list) => list.map(Number));
  const cuts = offsets.map((low, dim) => Object.freeze({ low, high: low + sizes[dim], step: strides[dim], index: false }));
  const good = cuts.every(({ low, high, step }, dim) => low >= 0 && high > low && high <= shape[dim] && step !== 0);
  return good ? Object.freeze({ cuts: Object.freeze(cuts), axes: [], window: true, most }) : null;
}

/**
 * @param {string} text
 * @param {readonly number[]} shape
 * @returns {Cuts | null}
 */
function indexCuts(text, shape) {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  const named = parts.filter((part) => !NEW_AXIS.test(part) && !ELLIPSIS.test(part)).length;
  if (named > shape.length || parts.filter((part) => ELLIPSIS.test(part)).length > 1) return null;
  /** @type {Cut[]} */
  const cuts = [];
  /** @type {number[]} */
  const axes = [];
  const take = (/** @type {number} */ count) => {
    for (let left = count; left > 0; left -= 1) cuts.push(Object.freeze({ low: 0, high: shape[cuts.length], step: 1, index: false }));
  };
  for (const part of parts) {
    if (NEW_AXIS.test(part)) axes.push(cuts.length);
    else if (ELLIPSIS.test(part)) take(shape.length - named);
    else {
      const cut = cutOf(part, shape[cuts.length]);
      if (!cut) return null;
      cuts.push(cut);
    }
  }
  take(shape.length - cuts.length);
  return Object.freeze({ cuts: Object.freeze(cuts), axes: Object.freeze(axes), window: false, most: null });
}

/**
 * @param {string} text an integer, or start:stop:step as in Python
 * @param {number} size
 * @returns {Cut | null}
 */
function cutOf(text, size) {
  if (INTEGER.test(text)) {
    const index = Number(text) + (Number(text) < 0 ? size : 0);
    return index >= 0 && index < size ? Object.freeze({ low: index, high: index + 1, step: 1, index: true }) : null;
  }
  const bounds = text.split(':').map((part) => part.trim());
  if (bounds.length < 2 || bounds.length > 3 || !bounds.every((part) => part === '' || INTEGER.test(part))) return null;
  const step = Number(bounds[2] || 1);
  if (step === 0 || !Number.isSafeInteger(step)) return null;
  /** @param {string} bound @param {number} usual @param {number} least @param {number} most */
  const place = (bound, usual, least, most) => {
    if (bound === '') return usual;
    return Math.max(least, Math.min(most, Number(bound) + (Number(bound) < 0 ? size : 0)));
  };
  const [low, high] = step > 0
    ? [place(bounds[0], 0, 0, size), place(bounds[1], size, 0, size)]
    : [place(bounds[1], -1, -1, size - 1) + 1, place(bounds[0], size - 1, -1, size - 1) + 1];
  return Object.freeze({ low, high: Math.max(low, high), step, index: false });
}

/**
 * @param {Cut} cut
 * @param {number} size
 * @returns {string}
 */
function cutText({ low, high, step, index }, size) {
  if (index) return String(low);
  const pace = step === 1 ? '' : `:${step}`;
  if (low === high) return `${low}:${low}${pace}`;
  if (step > 0) return `${low === 0 ? '' : low}:${high === size ? '' : high}${pace}`;
  return `${high === size ? '' : high - 1}:${low === 0 ? '' : low - 1}${pace}`;
}
