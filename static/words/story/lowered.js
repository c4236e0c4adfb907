/**
 * A sentence as it continues after a colon. A word in capitals, such as NHWC, stays.
 * @param {string} sentence
 * @returns {string}
 */
export function lowered(sentence) {
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0].toLowerCase() + sentence.slice(1) : sentence;
}

/**
 * A sentence from its first word on.
 * @param {string} text
 */
export function raised(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
