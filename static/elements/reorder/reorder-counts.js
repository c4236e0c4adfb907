import { exactText } from '../../words/numbers.js';
import { bytesCount, unmarkedText, windowText } from '../../words/reorder.js';
import { ReorderPart } from '../shared/part.js';

const LINE_BITS = 512;

/** Cache lines read and written so far, the useful and the wasted bytes in them. */
customElements.define('reorder-counts', class ReorderCounts extends ReorderPart {
  /** @override */
  start() {
    this.follow(['step', 'plan', 'count'], () => this.#show());
  }

  #show() {
    const { ready, count, done } = this.session;
    const found = ready && count && done >= count.window.from ? count.upTo(done) : null;
    this.hidden = !ready || ready.schedule.steps === 0;
    if (!ready || !count) return;
    const none = done < count.window.from;
    const shares = ready.tensors.a.shares;
    /** @param {string} name @param {string} text */
    const write = (name, text) => this.say(`[data-count="${name}"]`, text);
    /** @param {number | undefined} value @param {(value: number) => string} text */
    const said = (value, text) => (none ? text(0) : value === undefined ? '…' : text(value));
    const total = (/** @type {number} */ elements) => exactText(Math.ceil((elements * ready.itemsize_bits) / LINE_BITS));
    const { a, b } = ready.tensors;
    write('lines-read', `${said(found?.read.lines, exactText)} of ${total(a.bufferElements)}`);
    write('lines-written', `${said(found?.written.lines, exactText)} of ${total(b.bufferElements)}`);
    write('useful-read', said(found?.copied_bytes, bytesCount));
    write('useful-written', said(found?.copied_bytes, bytesCount));
    write('wasted-read', shares ? 'not counted' : said(found?.read.wasted_bytes, bytesCount));
    write('wasted-written', said(found?.written.wasted_bytes, bytesCount));
    write('rest', done < ready.schedule.steps - 1 ? 'not used yet' : 'wasted bytes');
    write('zeros', said(found?.zero_bytes, bytesCount));
    write('ordinary', said(found ? found.read.lines + found.written.lines : undefined, exactText));
    write('streamed', said(found?.read.lines, exactText));
    write('window', windowText(count.window, Math.max(0, done)));
    write('unmarked', unmarkedText(ready));
  }
});
