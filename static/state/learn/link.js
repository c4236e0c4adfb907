/**
 * Where a learner is.
 * @typedef {object} Place
 * @property {string} id of the lesson; empty for the list of all
 * @property {number} level
 * @property {number | null} seed null: one is drawn
 * @property {readonly string[]} order the lessons that a teacher's link names; empty: all of them. Its seed stays.
 *
 * @typedef {Readonly<Record<string, number>>} Progress by lesson the levels that were answered rightly, a bit each
 */

export const PATH = '/learn';
export const LEVELS = 3;
const MOST_LESSONS = 64;
const ID = /^[a-z0-9-]{1,40}$/;

/**
 * @param {string} path
 * @param {string} search
 * @returns {Place}
 */
export function parsePlace(path, search) {
  const given = new URLSearchParams(search);
  const id = path.slice(PATH.length + 1);
  const order = (given.get('lessons') ?? '').split(',').filter((each) => ID.test(each)).slice(0, MOST_LESSONS);
  const level = number(given.get('level'), LEVELS) ?? 1;
  return Object.freeze({ id: ID.test(id) ? id : '', level: Math.max(level, 1), seed: number(given.get('seed'), 999_999_999), order: Object.freeze(order) });
}

/**
 * @param {string | null} text
 * @param {number} most
 */
function number(text, most) {
  const found = /^\d{1,9}$/.test(text ?? '') ? Number(text) : null;
  return found !== null && found <= most ? found : null;
}

/**
 * @param {Place} place
 * @returns {string} path and query
 */
export function formatPlace({ id, level, seed, order }) {
  const query = new URLSearchParams();
  if (order.length > 0) query.set('lessons', order.join(','));
  if (id && level > 1) query.set('level', String(level));
  if (seed !== null) query.set('seed', String(seed));
  const text = String(query).replaceAll('%2C', ',');
  return `${PATH}${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
}

/**
 * The progress in a link that was made on another device: `done=nchw4.3,flip.1`.
 * @param {string} search
 * @returns {Progress}
 */
export function parseProgress(search) {
  return readProgress(new URLSearchParams(search).get('done') ?? '');
}

/**
 * @param {string} text
 * @returns {Progress}
 */
export function readProgress(text) {
  const found = text.split(',').slice(0, MOST_LESSONS).map((each) => each.split('.'));
  const all = 2 ** LEVELS - 1;
  return Object.freeze(Object.fromEntries(found.flatMap(([id, levels]) => {
    const bits = number(levels ?? null, all);
    return ID.test(id) && bits ? [[id, bits]] : [];
  })));
}

/**
 * @param {Progress} progress
 * @returns {string}
 */
export function writeProgress(progress) {
  return Object.entries(progress).map(([id, levels]) => `${id}.${levels}`).join(',');
}

/**
 * @param {Progress} one
 * @param {Progress} other
 * @returns {Progress} what either says was done
 */
export function mergeProgress(one, other) {
  const ids = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.freeze(Object.fromEntries([...ids].map((id) => [id, (one[id] ?? 0) | (other[id] ?? 0)])));
}
