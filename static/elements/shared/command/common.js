import { LEVELS, PATH } from '../../../state/learn/link.js';
import { DEFAULT, formatLink } from '../../../state/network/link.js';
import { rulesOf } from '../../../state/network/rules.js';
import { formatState } from '../../../state/permalink.js';
import { PRESET_GROUPS, stateOf } from '../../../state/presets.js';
import { layoutLinks } from '../../../words/command/elsewhere.js';
import { OTHER_RANK } from '../../../words/command/listed.js';

/** @import { Preset } from '../../../state/presets.js' */
/** @import { Catalogue } from '../../../api/types.js' */
/** @import { Entry } from '../../../words/command/search.js' */

const PRESS_RANK = 2;

/** @typedef {string} Page its name, such as explorer */
/** @typedef {{page: Page, title: string, about: string, href: string}} ListedPage */
/** @typedef {{title: string, forms: string, text: string, page?: Page}} HelpText a word, in all its forms, or keys, explained; page: the only one that has it */

/** @type {readonly ListedPage[]} */
let others = [];
/** @type {readonly HelpText[]} */
let helps = [];

/**
 * Sets the other pages, and what is explained. Called once, when the page starts.
 * @param {readonly ListedPage[]} listed
 * @param {readonly HelpText[]} explained
 */
export function listPages(listed, explained) {
  others = listed;
  helps = explained;
}

/**
 * The other pages.
 * @param {Partial<Record<Page, string>>} [hrefs] that show there what is shown here
 * @returns {Entry[]}
 */
export function pages(hrefs = {}) {
  return others.map(({ page, title, about, href }) => ({ kind: 'page', title, about, href: hrefs[page] ?? href }));
}

/** @param {Page} here @returns {Entry[]} what is explained on this page */
export function help(here) {
  const own = helps.filter(({ page }) => page === undefined || page === here);
  return own.map(({ title, forms, text }) => ({ kind: 'help', title, about: `${forms} ${text}`, say: text }));
}

/** @returns {Entry[]} what the buttons do that the page names as commands */
export function presses() {
  const buttons = [...document.querySelectorAll('button[data-command]')].filter((button) => button instanceof HTMLButtonElement);
  return buttons.map((button) => ({
    kind: 'view', title: button.dataset.command ?? '', about: button.dataset.about ?? '', later: PRESS_RANK, run: () => button.click(),
  }));
}

/**
 * The examples of the explorer.
 * @param {(preset: Preset) => Partial<Entry>} does what choosing one does
 * @param {string} [where] they are
 * @returns {Entry[]}
 */
export function examples(does, where = '') {
  return PRESET_GROUPS.flatMap(({ learn, presets }) =>
    presets.map((preset) => ({ kind: 'example', title: preset.title, about: [where + learn, preset.source, preset.a.layout].filter(Boolean).join(', '), ...does(preset) })),
  );
}

/** @returns {Entry[]} those of the page of lessons, which lists them itself */
export function lessons() {
  return options('lessons').map(({ value, label }) => ({ kind: 'lesson', title: label, about: `${LEVELS} questions in the page of lessons.`, href: `${PATH}/${value}` }));
}

/**
 * @param {(name: string) => void} choose
 * @returns {Entry[]} element types, by any of their names
 */
export function types(choose) {
  return options('dtypes').map(({ value, dataset }) => ({ kind: 'type', title: value, about: `${dataset.bits} bits: ${dataset.also}`, run: () => choose(value) }));
}

/** @param {Catalogue | null} catalogue @returns {Entry[]} the lessons and networks, and the explorer's examples and layouts, for other pages */
export function otherExamples(catalogue) {
  return [...lessons(), ...networks(), ...examples((preset) => ({ href: `/?${formatState(stateOf(preset))}`, later: OTHER_RANK }), 'In the explorer. '), ...layoutLinks(catalogue)];
}

/** @returns {Entry[]} those of the page of networks with its rules' options, as the server wrote them into the others */
export function networks() {
  const listed = options('networks').map(({ value, label }) => ({ kind: /** @type {const} */ ('network'), title: label, about: `In the page of networks. ${value}`, href: `/network?preset=${value}`, later: OTHER_RANK }));
  return listed.length === 0 ? [] : [...listed, ...ruleOptions((chosen) => ({ href: `/network?${formatLink({ ...DEFAULT, ...chosen })}` }))];
}

/** @param {(chosen: ReturnType<typeof rulesOf>) => Partial<Entry>} does @returns {Entry[]} the options of rule sets */
export function ruleOptions(does) {
  return options('rule-options').map(({ value, label }) => ({ kind: 'rules', title: label, about: 'An option of rules, in the page of networks.', ...does(rulesOf(value)) }));
}

/** @param {string} list as the server wrote it into the page, if it did */
export function options(list) {
  return [...document.querySelectorAll(`#${list} option`)].filter((option) => option instanceof HTMLOptionElement);
}
