import { PRESET_GROUPS, stateOf } from '../../../state/presets.js';
import { reorderHref } from '../../../state/reorder/link.js';
import { walkerOf } from '../../../state/walker.js';
import { fuzzyMatch } from '../../../words/command/fuzzy.js';
import { HELP } from '../../../words/command/help.js';
import { coordsText, exactText } from '../../../words/numbers.js';
import { readPlace } from '../../../words/place.js';
import { systemName } from '../../../words/systems.js';

/** @typedef {import('../../../state/session.js').Session} Session */
/** @typedef {import('../../../state/types.js').PageState} PageState */
/** @typedef {import('../../../api/types.js').Catalogue} Catalogue */

/**
 * One thing that the palette finds.
 * @typedef {object} Entry
 * @property {'place' | 'page' | 'view' | 'example' | 'layout' | 'help'} kind
 * @property {string} title
 * @property {string} about one sentence or name, searched too
 * @property {(session: Session) => void} [run]
 * @property {string} [focus] selector of what the keyboard goes to afterwards
 * @property {string} [href] a page, in place of `run`
 * @property {string} [say] an answer, in place of `run`
 * @property {number} [later] added to the score: the higher, the later in the list
 *
 * @typedef {Entry & {at: readonly number[]}} Found at: places of the title that match
 */

const MOST = 40;
/** Of each kind while nothing is typed. */
const OPENING = { place: 0, page: 3, view: 6, example: 8, layout: 6, help: 3 };
const SIDE = /^\s*([ab])\s*:/i;
const OTHER_RANK = 3;

/** @type {readonly [PageState['tab'], string][]} */
const TABS = [['facts', 'Facts'], ['notations', 'Notations'], ['code', 'Code'], ['cost', 'Cost']];
/** @type {readonly [string, string][]} */
const COLOURS = [
  ['auto', 'auto'], ['channel', 'by channel'], ['linear', 'by index'], ['@line', 'by cache line'], ['@page', 'by page'],
  ['@sector', 'by 32-byte sector'], ['@bank', 'by bank'],
];
/** @type {readonly [string, string][]} */
const TEXTS = [['auto', 'auto'], ['linear', 'index'], ['letter', 'letters'], ['coords', 'coordinates'], ['address', 'address']];

/**
 * What fits the text best, at most 40; a part of everything while nothing is typed. A text that leads to
 * a cell gives that cell first.
 * @param {string} text
 * @param {Session} session
 * @param {Catalogue | null} catalogue
 * @returns {{found: Found[], problem: string}} problem: why an address or a coordinate leads nowhere
 */
export function search(text, session, catalogue) {
  const all = [...pages(session), ...views(session), ...examples(), ...layouts(session, catalogue), ...help()];
  if (text.trim() === '') return { found: opening(all), problem: '' };
  const place = placeEntry(text, session);
  const scored = all.flatMap((entry) => {
    const match = fuzzyMatch(text, entry.title, `${entry.kind} ${entry.about}`);
    return match ? [{ score: match.score + (entry.later ?? 0), entry: { ...entry, at: match.at } }] : [];
  });
  scored.sort((one, other) => one.score - other.score);
  const found = scored.slice(0, MOST).map(({ entry }) => entry);
  if (place && 'kind' in place) return { found: [{ ...place, at: [] }, ...found], problem: '' };
  return { found, problem: found.length === 0 || /^[\s\d,.[\]()-]+$/.test(text) ? (place?.problem ?? '') : '' };
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

/**
 * @param {string} text
 * @param {Session} session
 * @returns {Entry | {problem: string} | null} null where there is no tensor
 */
function placeEntry(text, session) {
  const { answers, selected } = session;
  const named = answers.b ? SIDE.exec(text) : null;
  const side = named?.[1].toLowerCase() === 'b' ? 'b' : 'a';
  const answer = answers[side];
  if (!answer?.tensor) return null;
  const { tensor } = answer;
  const place = readPlace(named ? text.slice(named[0].length) : text, tensor, answer.itemsize_bits, selected);
  if ('problem' in place) return place;
  const { coords, address, note } = place;
  const where = `address ${exactText(address)}${side === 'b' ? ' of B' : ''}`;
  return {
    kind: 'place',
    title: `Go to ${where}`,
    about: note || (coords ? coordsText(tensor.dims, coords) : ''),
    run: () => session.go({ side, coords, address }),
    focus: `memory-view[side=${side}] [role=grid]`,
  };
}

/** @param {Session} session @returns {Entry[]} */
function pages({ state }) {
  return [
    { kind: 'page', title: 'Reorders', about: 'Watch A become B, step by step.', href: state.b ? reorderHref(state) : '/reorder' },
    { kind: 'page', title: 'Networks', about: 'Plan the layouts of a whole network.', href: '/network' },
    { kind: 'page', title: 'API', about: 'The documentation of the REST API.', href: '/docs' },
  ];
}

/** @param {Session} session @returns {Entry[]} */
function views({ state, answers, loaded }) {
  /** @param {string} title @param {string} about @param {Partial<PageState>} changes @returns {Entry} */
  const change = (title, about, changes) => ({ kind: 'view', title, about, run: (session) => session.change(changes, 'push') });
  const dims = (answers.a?.memory.tensor?.dims ?? []).map((dim) => [dim, `by ${dim.toLowerCase()}`]);
  return [
    { kind: 'view', title: 'Walk through memory', about: 'Play the addresses in order, or in the order of loops.', run: (session) => walkerOf(session).open(), focus: 'walk-player .play' },
    ...TABS.map(([tab, title]) => ({ ...change(title, 'A tab beside the grids.', { tab }), focus: `#tab-${tab}` })),
    ...(answers.b ? [change(state.apart ? 'A and B in step' : 'A and B apart', 'Zoom and move both memories together, or each alone.', { apart: !state.apart })] : []),
    ...[...COLOURS, ...dims].map(([colour, words]) => change(`Colour ${words}`, 'How the cells are coloured.', { colour })),
    ...[...TEXTS, ...(loaded ? [['value', 'value']] : [])].map(([text, words]) => change(`Text: ${words}`, 'What the cells say.', { text })),
  ];
}

/** @returns {Entry[]} */
function examples() {
  return PRESET_GROUPS.flatMap(({ source, presets }) =>
    presets.map((preset) => ({
      kind: /** @type {const} */ ('example'),
      title: preset.name,
      about: source,
      run: (/** @type {Session} */ session) => session.restore(Object.freeze({ ...stateOf(preset), tab: session.state.tab }), 'push'),
    })),
  );
}

/**
 * @param {Session} session
 * @param {Catalogue | null} catalogue
 * @returns {Entry[]} one of each name; those of the tensor's rank first
 */
function layouts({ answers }, catalogue) {
  const rank = answers.a?.memory.description.shape.length;
  const seen = new Set();
  const once = (catalogue?.formats ?? []).filter(({ name }) => !seen.has(name) && seen.add(name));
  const fitting = once.filter((format) => format.rank === rank);
  const others = once.filter((format) => format.rank !== rank);
  return [...fitting, ...others].map(({ name, system, summary, rank: own }) => ({
    kind: /** @type {const} */ ('layout'),
    title: name,
    about: `${systemName(system)}: ${summary}`,
    run: (/** @type {Session} */ session) => session.edit('a', { layout: name }, 'push'),
    later: own === rank ? 0 : OTHER_RANK,
  }));
}

/** @returns {Entry[]} */
function help() {
  return HELP.map(({ title, text }) => ({ kind: 'help', title, about: text, say: text }));
}
