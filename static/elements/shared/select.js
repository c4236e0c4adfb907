import { make } from './part.js';

/**
 * Offers choices in a select and shows the chosen one. The options are made again only where they change: an open list stays.
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly string[])[]} choices values, and their words
 * @param {string} chosen
 */
export function fillSelect(select, choices, chosen) {
  const known = [...select.options].map(({ value, text }) => [value, text]);
  if (JSON.stringify(known) !== JSON.stringify(choices)) {
    select.replaceChildren(...choices.map(([value, text]) => make('option', { value }, [text])));
  }
  if (select.value !== chosen) select.value = chosen;
}
