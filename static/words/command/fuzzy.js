/**
 * How well a text fits what is searched for. `score`: lower is better. `at`: the places in the title that
 * match, in order. `scattered`: whether others stand between letters of a word.
 * @typedef {{score: number, at: readonly number[], scattered?: boolean}} Match
 */

const INSIDE = 2;
const ABOUT = 4;
const SCATTERED = 6;

/** Where a block number, as ⌊c/4⌋ or c // 8, or a place in a block, as c mod 4 or c%8, stands in a text. */
const TERMS = [/[a-z]\d*\s*(?:\/\/?|floordiv)\s*\d/, /[a-z]\d*\s*(?:%|mod)\s*\d/];
const ONE_TERM = /^(?:floor\s*)?[⌊(]*[a-z]\d*\s*(?:\/\/?|floordiv|%|mod)\s*\d+[⌋)]*$/;

/**
 * Searches for words in a title, and in what is said about it. Each word must be found: at the beginning
 * of a word, inside one, in what is said, or with its letters in order but others between them. Words that stand
 * together in the title count as one. One term of an
 * address also finds what has a term of its kind, however the two spell it, and whatever its letter and number.
 * @param {string} query
 * @param {string} title
 * @param {string} [about]
 * @returns {Match | null} null where a word is not found
 */
export function fuzzyMatch(query, title, about = '') {
  const [low, lowAbout, sought] = [title.toLowerCase(), about.toLowerCase(), query.trim().toLowerCase()];
  return ONE_TERM.test(sought) ? termIn(sought, `${low} ${lowAbout}`) : wordsIn(sought, low, lowAbout);
}

/**
 * @param {string} query one term of an address
 * @param {string} text
 * @returns {Match | null}
 */
function termIn(query, text) {
  if (!TERMS.some((term) => term.test(query) && term.test(text))) return null;
  return { score: oneSpelling(text).includes(oneSpelling(query)) ? 0 : ABOUT, at: [] };
}

/** @param {string} text */
function oneSpelling(text) {
  return text.replace(/\/\/|floordiv/g, '/').replaceAll('%', 'mod').replace(/floor|[\s⌊⌋()]/g, '');
}

/**
 * @param {string} query
 * @param {string} low title
 * @param {string} lowAbout
 * @returns {Match | null}
 */
function wordsIn(query, low, lowAbout) {
  const together = query.includes(' ') ? inTitle(query, low) : null;
  if (together) return together;
  let score = 0;
  let apart = false;
  /** @type {Set<number>} */
  const at = new Set();
  for (const word of query.split(/\s+/).filter(Boolean)) {
    const found = inTitle(word, low) ?? (lowAbout.includes(word) ? { score: ABOUT, at: [] } : scattered(word, low));
    if (!found) return null;
    score += found.score;
    apart ||= found.scattered ?? false;
    for (const place of found.at) at.add(place);
  }
  return { score, at: [...at].sort((one, other) => one - other), ...(apart ? { scattered: true } : {}) };
}

/**
 * @param {string} word
 * @param {string} title
 * @returns {Match | null}
 */
function inTitle(word, title) {
  let best = title.indexOf(word);
  if (best < 0) return null;
  for (let from = best; from >= 0; from = title.indexOf(word, from + 1)) {
    if (from === 0 || /[^\p{L}\p{N}]/u.test(title[from - 1])) {
      best = from;
      break;
    }
  }
  const begins = best === 0 || /[^\p{L}\p{N}]/u.test(title[best - 1]);
  // Of two titles that begin with the word, the shorter one is nearer.
  const rest = (title.length - word.length) / 1000;
  const score = (best === 0 ? 0 : begins ? 1 : INSIDE) + rest;
  return { score, at: Array.from(word, (_, place) => best + place) };
}

/**
 * @param {string} word
 * @param {string} title
 * @returns {Match | null} the narrowest place with the letters of the word in order
 */
function scattered(word, title) {
  /** @type {number[] | null} */
  let best = null;
  for (let start = title.indexOf(word[0]); start >= 0; start = title.indexOf(word[0], start + 1)) {
    const at = [start];
    for (const letter of word.slice(1)) {
      const next = title.indexOf(letter, at[at.length - 1] + 1);
      if (next < 0) break;
      at.push(next);
    }
    if (at.length < word.length) break;
    if (!best || spanOf(at) < spanOf(best)) best = at;
  }
  // Letters that lie far apart are found by chance.
  if (!best || spanOf(best) > 3 * word.length) return null;
  return { score: SCATTERED + spanOf(best) / word.length, at: best, scattered: true };
}

/** @param {readonly number[]} at */
function spanOf(at) {
  return at[at.length - 1] - at[0] + 1;
}

/**
 * A title in parts: what matches, and what stands between.
 * @param {string} title
 * @param {readonly number[]} at places that match
 * @returns {{text: string, match: boolean}[]}
 */
export function marked(title, at) {
  const places = new Set(at);
  /** @type {{text: string, match: boolean}[]} */
  const runs = [];
  for (let place = 0; place < title.length; place += 1) {
    const match = places.has(place);
    const last = runs.at(-1);
    if (last?.match === match) last.text += title[place];
    else runs.push({ text: title[place], match });
  }
  return runs;
}
