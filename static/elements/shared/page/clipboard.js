/**
 * Copies a text. Without HTTPS, or without permission, there is no clipboard.
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
