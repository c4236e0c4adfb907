import { picksOf, readCuts } from '../core/slice/cuts.js';

/** @import { Pick } from '../core/layout/picked.js' */

/**
 * Reads what a slice takes from its text, until the API answers; the same text gives the same list again.
 * @returns {(text: string, shape: readonly number[] | undefined) => readonly Pick[] | null} null where nothing is
 *   typed, and for what only the API can tell
 */
export function createSliceReader() {
  let key = '';
  /** @type {readonly Pick[] | null} */
  let picks = null;
  return (text, shape) => {
    if (!shape || text.trim() === '') return null;
    if (key === `${text}|${shape}`) return picks;
    const slice = readCuts(text, shape);
    key = `${text}|${shape}`;
    picks = slice && picksOf(slice);
    return picks;
  };
}
