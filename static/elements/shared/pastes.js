import { ApiProblem, read } from '../../api/client.js';
import { shapeQuery } from '../../api/fields.js';
import { firstLines, oneLine, received } from '../../state/pasted.js';

/** @import { Session } from '../../state/session.js' */
/** @import { TensorField } from '../inputs/tensor-field.js' */

/**
 * Reads a text that is pasted into the shape and says more than sizes, as the field of the layout does.
 * @param {TensorField} field
 */
export function takePastes(field) {
  const { input, session, signal } = field;
  let reading = new AbortController();
  signal.addEventListener('abort', () => reading.abort());
  field.listen(input, 'paste', async (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    reading.abort();
    if (onlySizes(text)) return;
    event.preventDefault();
    reading = new AbortController();
    const { pasted, taken } = await receivedFrom(session, text, reading.signal);
    if (reading.signal.aborted) return;
    session.paste(pasted);
    if (taken) session.take(taken);
    else if (!pasted) insert(input, text);
  });
  undoTaken(field);
}

/**
 * Control+Z takes back what was taken from a text.
 * @param {TensorField} field
 */
export function undoTaken({ input, session, signal }) {
  const undo = (/** @type {KeyboardEvent} */ event) => {
    const wanted = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!wanted || !session.taken) return;
    event.preventDefault();
    session.untake();
  };
  input.addEventListener('keydown', undo, { signal });
}

/** @param {string} text */
function onlySizes(text) {
  return shapeQuery(text).split(',').every((size) => /^-?\d*$/.test(size));
}

/**
 * What the text does to the page, where it contains sizes.
 * @param {Session} session
 * @param {string} text
 * @param {AbortSignal} signal
 */
async function receivedFrom(session, text, signal) {
  const nothing = { pasted: null, taken: null };
  try {
    const lines = firstLines(text);
    const answer = await read(lines.text, signal);
    return answer.shape === null ? nothing : received(session.state, answer, lines.linesLeft);
  } catch (error) {
    if (error instanceof ApiProblem || signal.aborted) return nothing;
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
