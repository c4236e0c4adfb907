import { find } from '../part.js';

/** @returns {ReadonlyMap<string, number>} bits of each element type, as the server wrote them into the page */
export function elementTypes() {
  const options = find(document, '#dtypes', HTMLDataListElement).options;
  return new Map([...options].map(({ value, dataset }) => [value, Number(dataset.bits)]));
}

/** @returns {import('../../../words/systems.js').Listed[]} as the server wrote them into the page */
export function systems() {
  const options = find(document, '#systems', HTMLDataListElement).options;
  return [...options].map(({ value, label, dataset }) => ({ system: value, title: label, family: dataset.family ?? '' }));
}
