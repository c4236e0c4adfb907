import { ApiProblem, read } from '../../api/client.js';
import { shapeQuery } from '../../api/fields.js';
import { oneLine, takenFrom } from '../../state/pasted.js';

/** @typedef {import('../../state/session.js').Session} Session */

/**
 * Reads a text that is pasted into the shape and says more than sizes, as the field of the layout does.
 * @param {HTMLInputElement} input
 * @param {Session} session
 * @param {AbortSignal} signal
 */
export function takePastes(input, session, signal) {
  let reading = new AbortController();
  signal.addEventListener('abort', () => reading.abort());
  input.addEventListener(
    'paste',
    async (event) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      reading.abort();
      if (onlySizes(text)) return;
      event.preventDefault();
      reading = new AbortController();
      const taken = await takenOf(session, text, reading.signal);
      if (reading.signal.aborted) return;
      if (taken) session.take(taken);
      else insert(input, text);
    },
    { signal },
  );
  undoTaken(input, session, signal);
}

/**
 * Control+Z takes back what was taken from a text.
 * @param {HTMLInputElement} input
 * @param {Session} session
 * @param {AbortSignal} signal
 */
export function undoTaken(input, session, signal) {
  input.addEventListener(
    'keydown',
    (event) => {
      const undo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (!undo || !session.taken) return;
      event.preventDefault();
      session.untake();
    },
    { signal },
  );
}

/** @param {string} text */
function onlySizes(text) {
  return shapeQuery(text).split(',').every((size) => /^-?\d*$/.test(size));
}

/**
 * The fields after the text, where it contains sizes; null where it does not.
 * @param {Session} session
 * @param {string} text
 * @param {AbortSignal} signal
 */
async function takenOf(session, text, signal) {
  try {
    const answer = await read(text, signal);
    return answer.shape === null ? null : takenFrom(session.state.a, answer);
  } catch (error) {
    if (error instanceof ApiProblem || signal.aborted) return null;
    throw error;
  }
}

/**
 * Inserts a text where the caret is, as the browser would have done.
 * @param {HTMLInputElement} input
 * @param {string} text
 */
function insert(input, text) {
  input.focus();
  if (document.execCommand('insertText', false, oneLine(text))) return;
  input.setRangeText(oneLine(text));
  input.dispatchEvent(new Event('input', { bubbles: true }));
}
