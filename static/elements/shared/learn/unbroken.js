/**
 * A text in which no line ends between a dimension and its index: `h 2, w 1`.
 * @param {string} text
 */
export function unbroken(text) {
  return text.replaceAll(/\b([a-z]) (?=\d)/g, '$1\u00a0');
}
