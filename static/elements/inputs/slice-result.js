import { bytesOf } from '../../core/bytes.js';
import { spanOf } from '../../core/slice/span.js';
import { exactText, sizesText } from '../../words/numbers.js';
import { ExplorerPart, make } from '../shared/part.js';

/** @import { SliceAnswer } from '../../api/types.js' */

const MOST_OFFSETS = 6;

/** What the API says about the slice: its shape, its offsets and whether it is a view. */
customElements.define('slice-result', class SliceResult extends ExplorerPart {
  /** @override */
  start() {
    // Until then the line that the server has left for it stays.
    this.when('slice', () => this.#show());
  }

  #show() {
    const { sliced, answers } = this.session;
    if (!sliced) {
      this.replaceChildren();
      return;
    }
    const { shape, view } = sliced;
    const sizes = sizesText(shape);
    this.replaceChildren(
      line('Result', sizes),
      line('Offsets', offsetsText(sliced)),
      line('View', view ? viewText(view) : 'none: a copy, the elements must be gathered'),
      line('Bytes', spanText(answers.a, sliced)),
    );
  }
});

/**
 * @param {string} name
 * @param {string} text
 */
function line(name, text) {
  return make('p', {}, [make('span', { class: 'name' }, [name]), make('span', { class: 'mono' }, [text])]);
}

/** @param {SliceAnswer} answer */
function offsetsText({ offsets }) {
  if (offsets.length === 0) return 'none';
  const shown = offsets.slice(0, MOST_OFFSETS).map(exactText).join(', ');
  if (offsets.length <= MOST_OFFSETS) return shown;
  return `${shown}, … ${exactText(offsets[offsets.length - 1])} (${exactText(offsets.length)})`;
}

/**
 * @param {import('../../state/types.js').Answer | null} answer
 * @param {SliceAnswer} sliced
 * @returns {string} how many bytes hold the result, and how far apart the first and the last are
 */
function spanText(answer, { picks, offsets, shape }) {
  const span = answer?.tensor && spanOf(answer.tensor, picks);
  if (!answer || !span) return 'not counted';
  const whole = offsets.length === shape.reduce((/** @type {number} */ all, size) => all * Number(size), 1);
  const used = span.used ?? (whole ? new Set(offsets).size : null);
  /** @param {number} elements */
  const text = (elements) => {
    const { bytes, bits } = bytesOf(elements, answer.itemsize_bits);
    return exactText(String(bits > 0 ? bytes + 1n : bytes));
  };
  return used === null ? `${text(span.spanned)} spanned` : `${text(used)} used of ${text(span.spanned)} spanned`;
}

/** @param {import('../../api/types.js').Description} view */
function viewText({ offset, strides, layout }) {
  return strides ? `strides ${strides.map(exactText).join(', ')} from ${exactText(offset)}` : layout;
}
