import { ApiProblem, describe } from '../../api/client.js';
import { systemName } from '../systems.js';

/** @import { TensorFields } from '../../api/types.js' */
/** @import { Entry } from './search.js' */

/** What is a layout in one word begins with a letter; numbers are coordinates before they are strides. */
const WORD = /^[a-z]\S*$/i;

/**
 * The layout that a text is, also for other sizes than the present ones.
 * @param {string} text
 * @param {Readonly<TensorFields>} fields of the tensor whose layout it may become
 * @param {(layout: string, rank: number | undefined) => void} choose with the sizes that it needs, where they are others
 * @param {AbortSignal} signal
 * @returns {Promise<Entry[]>} none where it is none, or the question was given up
 */
export async function layoutRead(text, fields, choose, signal) {
  const layout = text.trim();
  if (!WORD.test(layout)) return [];
  /** @type {number | undefined} */
  let rank;
  const about = await describe({ ...fields, layout }, signal).then(
    ({ readings }) => `Read as ${systemName(readings[0]?.system ?? 'strides')}.`,
    (error) => {
      if (signal.aborted) return null;
      if (!(error instanceof ApiProblem)) throw error;
      const [{ field, message, sizes }] = error.problems;
      rank = sizes;
      return error.away || field === 'layout' ? null : `A layout; ${field}: ${message}.`;
    },
  );
  return about === null ? [] : [{ kind: 'layout', title: layout, about, run: () => choose(layout, rank) }];
}
