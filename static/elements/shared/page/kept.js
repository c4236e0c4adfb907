/**
 * What this browser keeps for the pages. Storage may be forbidden: a choice then lasts until the page is closed.
 * @param {string} name
 * @param {string} [text] to be kept
 * @param {{briefly?: boolean}} [how] briefly: until the tab is closed
 * @returns {string} what is kept; nothing where nothing is
 */
export function kept(name, text, { briefly = false } = {}) {
  try {
    const where = briefly ? sessionStorage : localStorage;
    if (text !== undefined) where.setItem(`stridescope.${name}`, text);
    return where.getItem(`stridescope.${name}`) ?? '';
  } catch {
    return '';
  }
}
