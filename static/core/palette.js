/** @typedef {import('./types.js').Theme} Theme */

/**
 * Theme for light or dark, to be changed in part by the page.
 * @param {boolean} dark
 * @returns {Theme}
 */
export function defaultTheme(dark) {
  throw new Error('not filled yet');
}
