const BLANKS = /[ \t\n\r]*/y;
const INTEGER = /-?(?:0|[1-9]\d*)(?![\d.eE])/y;
const STOPS = /["\\\u0000-\u001f]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;
const WORDS = Object.freeze([['null', null], ['true', true], ['false', false]]);
const MOST_DIGITS = 20;
const MOST_DEPTH = 64;

/** @typedef {null | boolean | bigint | string | Json[] | Map<string, Json>} Json */

/**
 * Parses JSON whose numbers are integers of at most 20 digits, each name in an object once, text of
 * whole characters. Integers are bigints, objects are Maps.
 * @param {string} text
 * @returns {Json}
 * @throws {Error} with the position
 */
export function parseStrictJson(text) {
  let at = 0;

  /** @param {string} expected @returns {never} */
  function fail(expected) {
    throw new Error(`malformed JSON at character ${at + 1}: ${expected} expected`);
  }

  /** @param {RegExp} pattern sticky @returns {string | null} */
  function take(pattern) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return null;
    at = pattern.lastIndex;
    return found[0];
  }

  /** @param {string} mark */
  function skips(mark) {
    take(BLANKS);
    if (text[at] !== mark) return false;
    at += 1;
    return true;
  }

  function string() {
    const start = at;
    if (text[at] !== '"') fail('text in double quotes');
    for (at += 1; text[at] !== '"'; at += text[at] === '\\' ? 2 : 0) {
      STOPS.lastIndex = at;
      at = STOPS.exec(text)?.index ?? text.length;
      if (at >= text.length || text[at] < ' ') fail('a closing quote');
      if (text[at] === '"') break;
    }
    at += 1;
    let said = '';
    try {
      said = JSON.parse(text.slice(start, at));
    } catch {
      fail('text with valid escapes');
    }
    if (LONE_SURROGATE.test(said)) fail('text of whole characters');
    return said;
  }

  /** @param {number} depth @returns {Json} */
  function value(depth) {
    if (depth > MOST_DEPTH) fail('less nesting');
    take(BLANKS);
    if (skips('{')) return object(depth);
    if (skips('[')) return list(depth);
    if (text[at] === '"') return string();
    for (const [word, said] of WORDS) {
      if (!text.startsWith(String(word), at)) continue;
      at += String(word).length;
      return /** @type {Json} */ (said);
    }
    const digits = take(INTEGER) ?? fail('an integer, text, a list or an object');
    if (digits.length > MOST_DIGITS) fail(`an integer of at most ${MOST_DIGITS} digits`);
    return BigInt(digits);
  }

  /** @param {number} depth */
  function object(depth) {
    /** @type {Map<string, Json>} */
    const entries = new Map();
    if (skips('}')) return entries;
    do {
      take(BLANKS);
      const name = string();
      if (entries.has(name)) fail('each name once');
      if (!skips(':')) fail('a colon');
      entries.set(name, value(depth + 1));
    } while (skips(','));
    if (!skips('}')) fail('a comma or }');
    return entries;
  }

  /** @param {number} depth */
  function list(depth) {
    /** @type {Json[]} */
    const entries = [];
    if (skips(']')) return entries;
    do entries.push(value(depth + 1));
    while (skips(','));
    if (!skips(']')) fail('a comma or ]');
    return entries;
  }

  const whole = value(0);
  take(BLANKS);
  if (at < text.length) fail('the end');
  return whole;
}
