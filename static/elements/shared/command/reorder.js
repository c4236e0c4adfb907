import { NEVER } from '../../../core/schedule/inverse.js';
import { formatState } from '../../../state/permalink.js';
import { REORDER_PRESETS } from '../../../state/reorder/presets.js';
import { ELSEWHERE } from '../../../words/command/elsewhere.js';
import { layoutRead } from '../../../words/command/layout-read.js';
import { layouts, sideNamed } from '../../../words/command/listed.js';
import { exactText } from '../../../words/numbers.js';
import { readPlace } from '../../../words/place.js';
import { otherExamples, help, pages, presses, types } from './common.js';

/** @import { ReorderSession } from '../../../state/reorder/session.js' */
/** @import { Commands, Entry } from '../../../words/command/search.js' */

/**
 * What the page of reorders offers to its palette: the step of a cell, pages, views, examples, layouts, help.
 * @param {ReorderSession} session
 * @returns {Commands}
 */
export function reorderCommands(session) {
  const { fields } = session;
  return {
    catalogue: () => fields.catalogue(),
    nothing: 'Nothing found. Type part of a name, an address such as 66 or b: 74, or a coordinate such as 0,1,2,3.',
    place: (text) => placeEntry(text, session),
    reading: async (text, signal) => {
      const read = await ELSEWHERE.reading(text, signal);
      return read.length > 0 ? read : layoutRead(text, fields.state.a, (layout) => fields.edit('b', { layout }, 'push'), signal);
    },
    entries: (catalogue) => [
      ...pages({ explorer: `/?${formatState(fields.state)}` }),
      ...views(session),
      ...REORDER_PRESETS.map((preset) => ({ kind: /** @type {const} */ ('example'), title: preset.name, about: preset.see, run: () => session.open(preset) })),
      ...otherExamples(null),
      ...types((dtype) => fields.edit('a', { dtype }, 'push')),
      ...layouts(catalogue, session.ready?.tensors.a, ({ name }) => ({ run: () => fields.edit('b', { layout: name }, 'push') }), 'Reorder to it. '),
      ...help('reorder'),
    ],
  };
}

/** @param {ReorderSession} session @returns {Entry[]} */
function views(session) {
  const { ready } = session;
  if (!ready) return [];
  const last = Math.max(0, ready.schedule.steps - 1);
  /** @param {string} title @param {number} step @returns {Entry} */
  const to = (title, step) => ({ kind: 'view', title, about: `Step ${exactText(step)}.`, run: () => session.go({ step, part: 1 }), focus: 'reorder-player .play' });
  return [
    { kind: 'view', title: 'Exchange A and B', about: 'The way back.', run: () => session.exchange() },
    to('First step', 0),
    to('Half way', Math.floor(last / 2)),
    to('Last step', last),
    ...presses(),
  ];
}

/**
 * The step that reads an address of A, or writes one of B.
 * @param {string} text
 * @param {ReorderSession} session
 * @returns {Entry | {problem: string} | null}
 */
function placeEntry(text, session) {
  const { ready } = session;
  if (!ready) return null;
  const { side, rest } = sideNamed(text, true);
  const place = readPlace(rest, ready.tensors[side], ready.itemsize_bits, null);
  if ('problem' in place) return place;
  const does = `${side === 'a' ? 'reads' : 'writes'} address ${exactText(place.address)} of ${side.toUpperCase()}`;
  if (!ready.stepOf) return { problem: 'The steps of this plan cannot be found by address.' };
  const step = ready.stepOf[side](place.address);
  if (step === NEVER) return { problem: `No step ${does}.` };
  return {
    kind: 'place',
    title: `Go to step ${exactText(step)}`,
    about: `It ${does}.`,
    run: () => session.go({ step, part: 1 }),
    focus: `reorder-memory[side=${side}] canvas.cells`,
  };
}
