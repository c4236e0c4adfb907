import { sizesText } from '../../core/numbers.js';
import { systemName } from '../systems.js';

/** @import { Catalogue, Format } from '../../api/types.js' */
/** @import { Entry } from './search.js' */

/** How much later in the list stands what is of another rank or page. */
export const OTHER_RANK = 3;
const SIDE = /^\s*([ab])\s*:/i;

/** Tags that the catalogue does not name: of the weights that matrix kernels read. */
const MORE = Object.freeze(
  [
    ['ABcd16b64a2b', 4, 'Weights of a convolution by brgemm in bfloat16: pairs for VNNI.'],
    ['ABcd16b64a4b', 4, 'Weights of a convolution by brgemm in int8: fours for VNNI.'],
  ].map(([name, rank, summary]) => ({ name: String(name), dims: 'OIHW', rank: Number(rank), summary: String(summary), system: 'onednn' })),
);

/**
 * One entry of each name; those of the tensor's rank first. Weights beside activations say how they take its sizes.
 * @param {Catalogue | null} catalogue
 * @param {{shape: readonly (string | number)[], dims: string | readonly string[]} | undefined} tensor
 * @param {(format: Pick<Format, 'name' | 'dims' | 'rank'>) => Partial<Entry>} does what choosing one does
 * @param {string} [what] the layout becomes
 * @returns {Entry[]}
 */
export function layouts(catalogue, tensor, does, what = '') {
  const rank = tensor?.shape.length;
  const seen = new Set();
  const once = (catalogue ? [...catalogue.formats, ...MORE] : []).filter(({ name }) => !seen.has(name) && seen.add(name));
  const fitting = once.filter((format) => format.rank === rank);
  const others = once.filter((format) => format.rank !== rank);
  return [...fitting, ...others].map(({ name, dims, system, summary, rank: own }) => ({
    kind: /** @type {const} */ ('layout'),
    title: name,
    about: `${what}${tensor && own === rank && dims.includes('O') !== tensor.dims.includes('O') ? `Takes ${sizesText(tensor.shape)} as ${dims}. ` : ''}${systemName(system)}: ${summary}`,
    ...does({ name, dims, rank: own }),
    later: own === rank ? 0 : OTHER_RANK,
  }));
}

/**
 * The side that a text names, as in "b: 118", and the rest of it.
 * @param {string} text
 * @param {boolean} both whether there is a B
 * @returns {{side: 'a' | 'b', rest: string}}
 */
export function sideNamed(text, both) {
  const named = both ? SIDE.exec(text) : null;
  return { side: named?.[1].toLowerCase() === 'b' ? 'b' : 'a', rest: named ? text.slice(named[0].length) : text };
}
