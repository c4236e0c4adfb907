import { withSizes } from '../../../state/half-typed.js';
import { readIfSaid } from '../../../state/pasted.js';
import { reorderHref } from '../../../state/reorder/link.js';
import { walkerOf } from '../../../state/walker.js';
import { choicesOf, TABS } from '../../../words/command/choices.js';
import { saysMore } from '../../../words/command/elsewhere.js';
import { layoutRead } from '../../../words/command/layout-read.js';
import { layouts, sideNamed } from '../../../words/command/listed.js';
import { coordsText, exactText } from '../../../words/numbers.js';
import { readPlace } from '../../../words/place.js';
import { examples, help, lessons, networks, pages, presses, types } from './common.js';

/** @import { Session } from '../../../state/session.js' */
/** @import { PageState } from '../../../state/types.js' */
/** @import { Commands, Entry } from '../../../words/command/search.js' */

/**
 * What the explorer offers to its palette: cells, pages, views, examples, layouts, help.
 * @param {Session} session
 * @returns {Commands}
 */
export function explorerCommands(session) {
  return {
    catalogue: () => session.catalogue(),
    nothing: 'Nothing found. Type part of a name, an address such as 118, or a coordinate such as 0,1,2,3.',
    place: (text) => placeEntry(text, session),
    reading: async (text, signal) => {
      const read = saysMore(text) ? await textRead(text, session, signal) : [];
      return read.length > 0 ? read : layoutRead(text, session.state.a, (layout, rank) => take(session, layout, rank), signal);
    },
    entries: (catalogue) => [
      ...pages(session.state.b ? { reorder: reorderHref(session.state) } : {}),
      ...views(session),
      ...presses(),
      ...examples((preset) => ({ run: () => session.open(preset) })),
      ...lessons(),
      ...networks(),
      ...types((dtype) => session.edit('a', { dtype }, 'push')),
      ...layouts(catalogue, session.answers.a?.memory.description, ({ name, rank }) => ({ run: () => take(session, name, rank) })),
      ...help('explorer'),
    ],
  };
}

/** @param {Session} session @param {string} layout @param {number | undefined} rank that the layout has, where it is known */
async function take(session, layout, rank) {
  session.edit('a', await withSizes(session.state.a, layout, rank), 'push');
}

/**
 * What a text says that might have been pasted; of two layouts also their reorder.
 * @param {string} text
 * @param {Session} session
 * @param {AbortSignal} signal
 * @returns {Promise<Entry[]>} none where it says nothing
 */
async function textRead(text, session, signal) {
  const said = await readIfSaid(session, text, signal);
  if (!said?.taken) return [];
  const { pasted, taken } = said;
  const run = () => session.paste(pasted, taken);
  const { after: a, b } = taken;
  if (!b?.after) {
    const entry = { kind: /** @type {const} */ ('layout'), about: taken.words, run };
    return [taken.unsized ? { ...entry, title: `Take ${a.layout}, and type its sizes`, focus: '#a-shape' } : { ...entry, title: `Take ${a.layout} of ${a.shape}` }];
  }
  const href = reorderHref({ ...session.state, a, b: b.after });
  return [
    { kind: 'layout', title: `Compare ${a.layout} with ${b.after.layout}`, about: `Of ${a.shape}, as A and B.`, run },
    { kind: 'page', title: `Reorder ${a.layout} to ${b.after.layout}`, about: 'Watch it step by step.', href },
  ];
}

/**
 * @param {string} text
 * @param {Session} session
 * @returns {Entry | {problem: string} | null} null where there is no tensor
 */
function placeEntry(text, session) {
  const { answers, selected } = session;
  const { side, rest } = sideNamed(text, answers.b !== null);
  const answer = answers[side];
  if (!answer?.tensor) return null;
  const { tensor } = answer;
  const place = readPlace(rest, tensor, answer.itemsize_bits, selected);
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
function views(session) {
  const { state, answers, loaded } = session;
  /** @param {string} title @param {string} about @param {Partial<PageState>} changes @returns {Entry} */
  const change = (title, about, changes) => ({ kind: 'view', title, about, run: () => session.change(changes, 'push') });
  const dims = answers.a?.memory.tensor?.dims ?? [];
  return [
    { kind: 'view', title: 'Walk through memory', about: 'Play the addresses in order, or in the order of loops.', run: () => walkerOf(session).open(), focus: 'walk-player .play' },
    ...TABS.map(([tab, title, about]) => ({ ...change(title, `A tab beside the grids: ${about}`, { tab }), focus: `#tab-${tab}` })),
    ...(answers.b ? [change(state.apart ? 'Move A and B together' : 'Move A and B apart', 'Zoom and move both memories together, or each alone.', { apart: !state.apart })] : []),
    ...choicesOf('colour', dims, false).map(([colour, words]) => change(`Colour ${words}`, 'How the cells are coloured.', { colour })),
    ...choicesOf('text', dims, Boolean(loaded)).map(([text, words]) => change(`Text: ${words}`, 'What the cells say.', { text })),
  ];
}
