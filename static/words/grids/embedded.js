/** What the texts of cells are. */
const TEXTS = Object.freeze({
  letter: 'letters name elements row by row', linear: 'numbers count elements row by row', value: 'numbers are values',
  address: 'numbers are addresses', coords: 'numbers are coordinates',
});
/** What stands in cells without an element, and in cells of several. */
const SIGNS = Object.freeze({ padding: 'hatched: padding', gap: 'dot: a gap', shared: 'corner: several elements share the place' });

/**
 * What colours, texts and signs mean, for readers who see these grids alone.
 * @param {{plan: {scale: string, dim: number}, tensor: {dims: readonly string[]}, unit?: {name: string} | null}} painter
 * @param {ReadonlySet<string>} signs that are seen
 * @param {keyof typeof TEXTS} text
 */
export function legendOf({ plan: { scale, dim }, tensor: { dims }, unit }, signs, text) {
  const name = dim < 0 ? 'index' : dims[dim].toLowerCase();
  const colour = unit ? (unit.name === 'line' ? 'cache line' : unit.name) : scale === 'categories' || scale === 'flat' || scale === 'viridis' ? name : 'value';
  const seen = Object.entries(SIGNS).flatMap(([sign, meaning]) => (signs.has(sign) ? [meaning] : []));
  const parts = [`Colour: ${colour === 'c' ? 'channel c' : colour}`, ...(signs.has('text') ? [TEXTS[text]] : []), ...seen];
  return `${parts.join('; ')}.`;
}
