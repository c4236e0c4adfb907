import { formatState } from '../../../state/permalink.js';
import { PRESET_GROUPS, stateOf } from '../../../state/presets.js';
import { systemName } from '../../../words/systems.js';

/** @import { Catalogue } from '../../../api/types.js' */
/** @import { Preset } from '../../../state/presets.js' */
/** @import { Entry } from '../../../words/command/search.js' */

const OTHER_RANK = 3;
const PRESS_RANK = 2;
const SIDE = /^\s*([ab])\s*:/i;

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

/**
 * @param {Page} here
 * @returns {Entry[]}
 */
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
    presets.map((preset) => ({ kind: 'example', title: preset.title, about: [where + learn, preset.source].filter(Boolean).join(', '), ...does(preset) })),
  );
}

/** @returns {Entry[]} the networks, and the examples of the explorer, for other pages */
export function otherExamples() {
  return [...networks(), ...examples((preset) => ({ href: `/?${formatState(stateOf(preset))}`, later: OTHER_RANK }), 'In the explorer. ')];
}

/** @returns {Entry[]} those of the page of networks, as the server wrote them into the others */
export function networks() {
  const options = [...document.querySelectorAll('#networks option')].filter((option) => option instanceof HTMLOptionElement);
  return options.map(({ value, label }) => ({ kind: 'network', title: label, about: `In the page of networks. ${value}`, href: `/network?preset=${value}`, later: OTHER_RANK }));
}

/**
 * One entry of each name; those of the tensor's rank first.
 * @param {Catalogue | null} catalogue
 * @param {number | undefined} rank
 * @param {(name: string) => void} choose
 * @param {string} [what] the layout becomes
 * @returns {Entry[]}
 */
export function layouts(catalogue, rank, choose, what = '') {
  const seen = new Set();
  const once = (catalogue?.formats ?? []).filter(({ name }) => !seen.has(name) && seen.add(name));
  const fitting = once.filter((format) => format.rank === rank);
  const others = once.filter((format) => format.rank !== rank);
  return [...fitting, ...others].map(({ name, system, summary, rank: own }) => ({
    kind: /** @type {const} */ ('layout'),
    title: name,
    about: `${what}${systemName(system)}: ${summary}`,
    run: () => choose(name),
    later: own === rank ? 0 : OTHER_RANK,
  }));
}

/**
 * The side that a text names, as in "b: 118", and the rest of it.
 * @param {string} text
 * @param {boolean} both whether there is a B
 * @returns {{side: 'a' | 'b', rest: string}}
 */
export function sideNamed(text, both) {
  const named = both ? SIDE.exec(text) : null;
  return { side: named?.[1].toLowerCase() === 'b' ? 'b' : 'a', rest: named ? text.slice(named[0].length) : text };
}
