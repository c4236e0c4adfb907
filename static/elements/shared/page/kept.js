/**
 * What this browser keeps for the pages. Storage may be forbidden: a choice then lasts until the page is closed.
 * @param {string} name
 * @param {string} [text] to be kept
 * @returns {string} what is kept; nothing where nothing is
 */
export function kept(name, text) {
  try {
    if (text !== undefined) localStorage.setItem(`stridescope.${name}`, text);
    return localStorage.getItem(`stridescope.${name}`) ?? '';
  } catch {
    return '';
  }
}
