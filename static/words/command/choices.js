/** The tabs beside the grids, and what they have. */
export const TABS = /** @type {const} */ ([
  ['facts', 'Facts', 'strides, buffer, bytes and properties.'],
  ['notations', 'Notations', 'the layout as each system writes it.'],
  ['code', 'Code', 'the tensor in C++ and Python, as memory_desc or strides.'],
  ['cost', 'Cost', 'cache lines, pages and bank conflicts.'],
]);

/** @type {Readonly<Record<'colour' | 'text', readonly (readonly [string, string])[]>>} ways to draw the cells, and their words */
const CHOICES = Object.freeze({
  colour: [
    ['auto', 'auto'],
    ['channel', 'by channel'],
    ['linear', 'by index'],
    ['@line', 'by cache line'],
    ['@page', 'by page'],
    ['@sector', 'by 32-byte sector'],
    ['@bank', 'by bank'],
  ],
  text: [
    ['auto', 'auto'],
    ['linear', 'index'],
    ['letter', 'letters'],
    ['value', 'value'],
    ['coords', 'coordinates'],
    ['address', 'address'],
  ],
});

/**
 * How the cells may be coloured, or what they may say.
 * @param {'colour' | 'text'} name
 * @param {readonly string[]} dims each can colour the cells
 * @param {boolean} valued whether there are values to show
 * @returns {(readonly [string, string])[]}
 */
export function choicesOf(name, dims, valued) {
  const own = CHOICES[name].filter(([value]) => value !== 'value' || valued);
  return name === 'colour' ? [...own, ...dims.map((dim) => /** @type {const} */ ([dim, `by ${dim.toLowerCase()}`]))] : own;
}
