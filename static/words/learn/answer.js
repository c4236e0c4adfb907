/**
 * A text in which no line ends between a dimension and its index, `h 2, w 1`, nor in `(c mod 4)`.
 * @param {string} text
 */
export function unbroken(text) {
  return text.replaceAll(/\b([a-z]) (?=\d)/g, '$1\u00a0').replaceAll(/(\w) mod (?=\d)/g, '$1\u00a0mod\u00a0');
}

/**
 * An answer as it is read; each stride after its name.
 * @param {import('../../api/learn.js').LessonAnswer} answer
 * @param {string} dims that strides are asked of
 */
export function saidOf(answer, dims) {
  return [answer].flat().map((each, at) => (dims ? `${strideOf(dims[at])}${/\d/.test(dims) ? ' =' : ''} ${each}` : String(each))).join(', ');
}

/**
 * The stride of a dimension, as its field and its answer name it: `c`, or of a view's dimension 1 `y.stride(1)`.
 * @param {string} dim
 */
export function strideOf(dim) {
  return /\d/.test(dim) ? `y.stride(${dim})` : dim.toLowerCase();
}
