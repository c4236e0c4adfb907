import { options } from '../command/common.js';
import { find } from '../part.js';

/** @returns {ReadonlyMap<string, number>} bits of each element type, as the server wrote them into the page */
export function elementTypes() {
  return new Map(options('dtypes').map(({ value, dataset }) => [value, Number(dataset.bits)]));
}

/** @returns {import('../../../words/systems.js').Listed[]} as the server wrote them into the page */
export function systems() {
  return options('systems').map(({ value, label, dataset }) => ({ system: value, title: label, family: dataset.family ?? '' }));
}

/** @returns {ReadonlyMap<string, string>} titles of lessons by id, as the server wrote them into the page */
export function lessonTitles() {
  return new Map(options('lessons').map(({ value, label }) => [value, label]));
}

/** @returns {readonly string[]} the names of row-major memory by rank, as the server wrote them into the page */
export function rowMajorNames() {
  return options('row-major').map(({ value }) => value);
}

/** @returns {import('../command/common.js').ListedPage[]} the other pages, as the server wrote them into this one */
export function otherPages() {
  const links = [...document.querySelectorAll('nav a[data-page]:not([aria-current])')];
  return links.filter((link) => link instanceof HTMLAnchorElement).map(({ dataset, textContent, pathname }) => ({
    page: dataset.page ?? '', title: textContent ?? '', about: dataset.about ?? '', href: pathname,
  }));
}

/** @returns {import('../command/common.js').HelpText[]} words and keys, explained, as the server wrote them into the page */
export function helpTexts() {
  const boxes = [...document.querySelectorAll('.words > div')];
  return boxes.filter((box) => box instanceof HTMLElement).map((box) => ({
    title: find(box, 'h2', HTMLElement).textContent ?? '', forms: box.dataset.forms ?? '', text: find(box, 'p', HTMLElement).textContent ?? '', page: box.dataset.page,
  }));
}

/** @returns {string} JSON: what the server asked itself for the page's link, and what it answered */
export function knownAnswers() {
  return find(document, '#known', HTMLScriptElement).textContent ?? '[]';
}
