/** @import { Description } from '../api/types.js' */

const MOST_CHARACTERS = 40;
const NAME = 'Stridescope';

/**
 * What an answer shows, such as "NCHW4 of 1×6×4×5".
 * @param {{fields: {layout: string}, description: Pick<Description, 'shape' | 'layout'>}} answer
 * @returns {string}
 */
export function shownText({ fields, description }) {
  const layout = shortened(fields.layout.trim() || description.layout);
  return `${layout} of ${description.shape.length > 0 ? description.shape.join('×') : 'one element'}`;
}

/**
 * The title of the page.
 * @param {Parameters<typeof shownText>[0]} a
 * @param {Parameters<typeof shownText>[0] | null} b
 * @returns {string}
 */
export function titleText(a, b) {
  const beside = b === null ? '' : `${shortened(a.fields.layout.trim())} and `;
  return `${beside}${shownText(b ?? a)} – ${NAME}`;
}

/** @param {string} text */
function shortened(text) {
  const characters = [...text.replaceAll(/\s+/g, ' ')];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…` : characters.join('');
}
