/**
 * A word in a text: where it stands, as it is written, and the id of its explanation.
 * @typedef {{index: number, form: string, id: string}} Linked
 */

/**
 * Finds the explained words of a text. A form that two words have links to neither, and inside a plain phrase, such as
 * “a word for”, nothing links.
 * @param {readonly (readonly [string, string])[]} explained forms, separated by commas, and the id of their explanation
 * @param {readonly string[]} plain phrases in which an explained word means something else
 * @returns {(text: string) => Linked[]}
 */
export function wordFinder(explained, plain) {
  /** @type {Map<string, string>} ids by form; none where the form is not linked */
  const ids = new Map();
  for (const [forms, id] of explained) {
    for (const form of forms.toLowerCase().split(', ')) ids.set(form, ids.has(form) ? '' : id);
  }
  for (const phrase of plain) ids.set(phrase.toLowerCase(), '');
  const longestFirst = [...ids.keys()].sort((one, other) => other.length - one.length);
  const escaped = longestFirst.map((form) => form.replaceAll(/[^\w ]/g, '\\$&').replaceAll(' ', '[ \u00a0]'));
  const pattern = new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?![\\w-])`, 'gi');
  return (text) =>
    [...text.matchAll(pattern)].flatMap(({ 0: form, index }) => {
      const id = ids.get(form.toLowerCase().replaceAll('\u00a0', ' '));
      return id ? [{ index, form, id }] : [];
    });
}
