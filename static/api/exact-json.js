const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON; integers beyond 2^53 become strings instead of being rounded.
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
 * @returns {string} JSON of the integer; JSON of the text where it is no integer, which the API then refuses
 */
export function integerJson(text) {
  return /^-?\d+$/.test(text) ? String(BigInt(text)) : JSON.stringify(text);
}
