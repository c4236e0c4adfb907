import { foresee } from '../../../api/client.js';
import { nameRowMajor } from '../../../api/dense-layout.js';
import { listSystems } from '../../../words/systems.js';
import { options } from '../command/common.js';
import { find } from '../part.js';

/** @returns {ReadonlyMap<string, number>} bits of each element type, as the server wrote them into the page */
export function elementTypes() {
  return new Map(options('dtypes').map(({ value, dataset }) => [value, Number(dataset.bits)]));
}

/**
 * Takes over what the server wrote into a page of layouts: the systems, the names of row-major memory by rank, and what it
 * asked itself for the page's link, with the answers.
 */
export function takeLists() {
  listSystems(options('systems').map(({ value, label, dataset }) => ({ system: value, title: label, family: dataset.family ?? '' })));
  nameRowMajor(options('row-major').map(({ value }) => value));
  foresee(find(document, '#known', HTMLScriptElement).textContent ?? '[]');
}

/** @returns {ReadonlyMap<string, string>} titles of lessons by id, as the server wrote them into the page */
export function lessonTitles() {
  return new Map(options('lessons').map(({ value, label }) => [value, label]));
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
