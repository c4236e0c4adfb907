import { saysMore } from './elsewhere.js';
import { fuzzyMatch } from './fuzzy.js';

/** @import { Catalogue } from '../../api/types.js' */

/**
 * One thing that the palette finds.
 * @typedef {object} Entry
 * @property {'place' | 'page' | 'view' | 'example' | 'lesson' | 'network' | 'rules' | 'layout' | 'type' | 'help'} kind
 * @property {string} title
 * @property {string} about one sentence or name, searched too
 * @property {() => void} [run]
 * @property {string} [focus] selector of what the keyboard goes to afterwards
 * @property {string} [href] a page, in place of `run`
 * @property {string} [say] an answer, in place of `run`
 * @property {number} [later] added to the score: the higher, the later in the list
 *
 * @typedef {Entry & {at: readonly number[]}} Found at: places of the title that match
 */

/**
 * What a page offers to its palette.
 * @typedef {object} Commands
 * @property {() => Promise<Catalogue | null>} [catalogue] of named formats, null where there is none
 * @property {(catalogue: Catalogue | null) => Entry[]} entries
 * @property {(text: string) => Entry | {problem: string} | null} [place] where an address or a coordinate leads
 * @property {(text: string, signal: AbortSignal) => Promise<readonly Entry[]>} [reading] the layouts that a text says, where no title has it
 * @property {string} nothing what is said where nothing fits
 */

const MOST = 40;
/** Of each kind while nothing is typed. */
const OPENING = { place: 0, page: 3, view: 6, network: 4, rules: 3, example: 8, lesson: 6, layout: 6, type: 0, help: 3 };
/** Added to the score of a title that is the text, and of one that does not begin with it in the same letters. */
const EXACT = -1;
const OTHER_CASE = 0.2;
/** What a word of a question has not. */
const NAMES_LAYOUT = /[a-z].*\d|\d.*[a-z]/i;
/** What a question has beside the word that is asked for. */
const SMALL = new Set('what is are a an the of in to do does mean means how why which'.split(' '));

/**
 * What fits the text best, at most 40; a part of everything while nothing is typed. A text that leads to
 * a cell gives that cell first.
 * @param {string} text
 * @param {Commands} commands
 * @param {Catalogue | null} catalogue
 * @returns {{found: Found[], problem: string}} problem: why an address or a coordinate leads nowhere
 */
export function search(text, commands, catalogue) {
  const all = commands.entries(catalogue);
  if (text.trim() === '') return { found: opening(all), problem: '' };
  const place = commands.place?.(text) ?? null;
  const typed = text.trim().replace(/[?!]+$/, '').split(/\s+/);
  const asked = typed.filter((word) => !SMALL.has(word.toLowerCase()));
  const words = asked.length > 0 ? asked : typed;
  const whole = [...scoredFor(typed.join(' '), all), ...scoredFor(words.join(' '), all)];
  // Where nothing has all the words, that which has most of them is offered.
  const some = whole.length > 0 || words.length < 2 ? whole : words.flatMap((_, at) => scoredFor(words.toSpliced(at, 1).join(' '), all));
  // Letters with others between them count only where nothing has the word itself.
  const direct = some.filter(({ scattered }) => !scattered);
  const scored = direct.length > 0 ? direct : some;
  scored.sort((one, other) => one.score - other.score);
  const best = new Map(scored.toReversed().map((each) => [each.entry, each]));
  const found = scored.filter((each) => best.get(each.entry) === each).slice(0, MOST).map(({ entry, at }) => ({ ...entry, at }));
  if (place && 'kind' in place) return { found: [{ ...place, at: [] }, ...found], problem: '' };
  // A word was not meant as a place, nor was one with a digit inside, such as im2col.
  const meant = found.length === 0 ? /(?<![a-z])\d|\d(?![a-z])/i : /^[\s\d,.[\]()-]+$/;
  return { found, problem: meant.test(text) ? (place?.problem ?? '') : '' };
}

/**
 * Whether a text that no title is may say a layout: it has a digit, as aBcd16b, or an arrow, or nothing was found for it.
 * @param {string} text
 * @param {readonly Found[]} found
 */
export function mayBeRead(text, found) {
  const typed = text.trim();
  return found.every(({ at }) => at.length === 0) || ((NAMES_LAYOUT.test(typed) || saysMore(typed)) && found.every(({ title }) => title !== typed));
}

/**
 * A title that is the text comes first, whatever its rank; then those that begin so. Small letters stand for capitals, too.
 * @param {string} text
 * @param {readonly Entry[]} all
 */
function scoredFor(text, all) {
  return all.flatMap((entry) => {
    const match = fuzzyMatch(text, entry.title, `${entry.kind} ${entry.about}`);
    if (!match) return [];
    const title = text === text.toLowerCase() ? entry.title.toLowerCase() : entry.title;
    const later = title === text ? EXACT : (entry.later ?? 0) + (title.startsWith(text) ? 0 : OTHER_CASE);
    return [{ score: match.score + later, entry, at: match.at, scattered: match.scattered }];
  });
}

/** @param {readonly Entry[]} all */
function opening(all) {
  const counts = new Map();
  return all.flatMap((entry) => {
    const count = (counts.get(entry.kind) ?? 0) + 1;
    counts.set(entry.kind, count);
    return count <= OPENING[entry.kind] ? [{ ...entry, at: [] }] : [];
  });
}
