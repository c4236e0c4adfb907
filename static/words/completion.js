import { systemName } from './systems.js';

/** @import { Catalogue, Format } from '../api/types.js' */

/**
 * @typedef {object} Suggestion
 * @property {string} value the text for the field
 * @property {string} system that the name belongs to
 * @property {string} summary
 */

const MOST_SUGGESTIONS = 40;
/** While somebody types: a list of more hides what is typed about. */
const MOST_TYPED = 6;

/**
 * Names that begin with, or contain, what is typed, by how well they match, then in the catalogue's order: those of
 * the tensor's rank, or where it has none, all. "tvm:" lists the names of TVM. A name that is typed in full gives no
 * suggestion.
 * @param {string} text as typed
 * @param {number} rank of the tensor
 * @param {Catalogue} catalogue
 * @returns {Suggestion[]}
 */
export function suggestions(text, rank, { formats, systems }) {
  const typed = text.trim();
  const colon = typed.indexOf(':');
  const forced = systems.find((system) => colon > 0 && typed.slice(0, colon).trim().toLowerCase() === system);
  const wanted = forced ? typed.slice(colon + 1).trim() : typed;
  const matching = (forced ? formats.filter(({ system }) => system === forced) : oncePerName(formats))
    .map((format) => ({ format, order: matchOf(format.name, wanted) }))
    .filter(({ order }) => order !== null);
  const fitting = matching.filter(({ format }) => format.rank === rank);
  const found = (fitting.length > 0 ? fitting : matching)
    .sort((one, other) => Number(one.order) - Number(other.order))
    .map(({ format: { system, name, summary } }) => ({ value: forced ? `${forced}:${name}` : name, system, summary }));
  const prefixes = forced ? [] : systems.filter((system) => matchOf(system, typed) === 0 || typed === '').map(prefixOf);
  const all = [...found.slice(0, MOST_SUGGESTIONS), ...prefixes];
  return all.length === 1 && all[0].value === typed ? [] : all;
}

/**
 * What is suggested to somebody who types: few names, and on the way to the layout that an example asks for, that one alone.
 * @param {string} text as typed
 * @param {number} rank of the tensor
 * @param {Catalogue} catalogue
 * @param {string | undefined} asked for
 * @returns {Suggestion[]}
 */
export function suggestedTyping(text, rank, catalogue, asked) {
  const all = suggestions(text, rank, catalogue);
  const wanted = all.filter(({ value }) => value === asked);
  return wanted.length > 0 ? wanted : all.slice(0, MOST_TYPED);
}

/**
 * The name that a text in small letters is meant to be: hwc is no name of any system, HWC is one.
 * @param {string} text as typed
 * @param {readonly Suggestion[]} shown
 * @returns {number} its place; -1 where the text is a name itself, or spells none
 */
export function meantBy(text, shown) {
  const typed = text.trim();
  if (shown.some(({ value }) => value === typed)) return -1;
  return shown.findIndex(({ value }) => value.toLowerCase() === typed);
}

/**
 * One entry per name: of several systems with the same name, the first in the catalogue.
 * @param {readonly Format[]} formats
 */
function oncePerName(formats) {
  const seen = new Set();
  return formats.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** @param {string} system */
function prefixOf(system) {
  return { value: `${system}:`, system, summary: `Read what follows as ${systemName(system)}.` };
}

/**
 * @param {string} name
 * @param {string} wanted
 * @returns {number | null} lower is better; null for no match. 0: begins with it, 1: begins with it in other case, 2: contains it
 */
function matchOf(name, wanted) {
  const [low, sought] = [name.toLowerCase(), wanted.toLowerCase()];
  // One letter says nothing of the case that is meant: the catalogue begins with the plain names.
  if (name.startsWith(wanted) || (sought.length === 1 && low.startsWith(sought))) return 0;
  if (low.startsWith(sought)) return 1;
  return low.includes(sought) ? 2 : null;
}
