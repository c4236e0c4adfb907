/**
 * A file as the state names it: of its values a link contains nothing but the name.
 */

/** The name of the built-in picture. */
export const PICTURE = 'balloon';
const PREFIX = 'file:';
/** Names are cut so that the state keeps them whole. */
const MOST_CHARACTERS = 56;

/**
 * @param {string} name of a file, or of a tensor in it
 * @returns {string}
 */
export function sampleOfFile(name) {
  let kept = '';
  for (const character of name.replace(/\p{Surrogate}/gu, '�')) {
    if (kept.length + character.length > MOST_CHARACTERS) return `${PREFIX}${kept}…`;
    kept += character;
  }
  return PREFIX + kept;
}

/**
 * @param {string} sample
 * @returns {string | null} the file's name; null where the sample is no file
 */
export function fileOfSample(sample) {
  return sample.startsWith(PREFIX) ? sample.slice(PREFIX.length) : null;
}
