const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON in which integers beyond 2^53 arrive as strings instead of being rounded.
 * @param {string} text
 * @returns {unknown}
 * @throws {SyntaxError} on malformed text
 */
export function parseExactJson(text) {
  return JSON.parse(
    text.replace(TOKEN, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}

/**
 * @param {string} text as typed
 * @returns {string} JSON of the integer, or of the text itself, which the API then refuses by name
 */
export function integerJson(text) {
  return /^-?\d+$/.test(text) ? String(BigInt(text)) : JSON.stringify(text);
}
