import { shapeQuery } from '../../api/fields.js';
import { oneLine, readIfSaid } from '../../state/pasted.js';

/** @import { TensorField } from '../inputs/tensor-field.js' */

/**
 * Reads a text that is pasted into the shape and says more than sizes, as the field of the layout does.
 * @param {TensorField} field
 */
export function takePastes(field) {
  const { input, session } = field;
  field.listen(input, 'paste', async (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const signal = field.ask();
    if (shapeQuery(text).split(',').every((size) => /^-?\d*$/.test(size))) return;
    event.preventDefault();
    const said = await readIfSaid(session, text, signal);
    if (signal.aborted) return;
    const { pasted, taken } = said?.answer.shape ? said : { pasted: null, taken: null };
    session.paste(pasted, taken);
    if (!taken && !pasted) insert(input, text);
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

/**
 * Inserts a text where the caret is, as the browser would have done.
 * @param {HTMLInputElement} input
 * @param {string} text
 */
export function insert(input, text) {
  input.focus();
  if (document.execCommand('insertText', false, oneLine(text))) return;
  input.setRangeText(oneLine(text));
  input.dispatchEvent(new Event('input', { bubbles: true }));
}
