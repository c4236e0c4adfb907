import { EXAMPLE } from '../../state/run/example.js';
import { otherReader, watchDrops } from '../shared/files/drops.js';
import { find, RunPart } from '../shared/part.js';

/** @import { RunSession } from '../../state/run/session.js' */

const MOST_BYTES = 2 ** 26;
const OWN = /\.(?:log|txt|json|out)$|^[^.]*$/i;

/** Where the run comes from: a pasted text, a file, the example. */
customElements.define('run-source', class RunSource extends RunPart {
  /** @override */
  start() {
    const { session } = this;
    const text = find(this, 'textarea', HTMLTextAreaElement);
    const file = find(this, 'input[type=file]', HTMLInputElement);
    const reorders = find(this, '[name=reorders]', HTMLInputElement);
    /** @param {string} log */
    const take = (log) => log.trim() && session.read(log, 'The pasted text');
    this.listen(text, 'input', (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertFromPaste') {
        text.setSelectionRange(0, 0); // the field has one line: the first one says what was pasted
        text.scrollTo(0, 0);
      }
      void take(text.value);
    });
    this.listen(document, 'paste', (event) => {
      const typed = event.target instanceof Element && event.target.closest('input, textarea, dialog[open]');
      if (!typed) void take(event.clipboardData?.getData('text/plain') ?? '');
    });
    this.listen(file, 'change', () => file.files?.[0] && void open(session, file.files[0]));
    watchDrops((dropped) => void open(session, dropped), this.signal);
    this.press('.example', () => {
      text.value = '';
      void session.read(EXAMPLE, 'Example');
    });
    this.listen(reorders, 'change', () => session.show(reorders.checked));
    this.when('busy', () => this.toggleAttribute('aria-busy', session.busy));
  }
});

/**
 * @param {RunSession} session
 * @param {File} file
 */
async function open(session, file) {
  const other = OWN.test(file.name) ? null : otherReader(file);
  if (other || file.size > MOST_BYTES) {
    session.refuse(other ? other.map((part) => (typeof part === 'string' ? part : part.textContent)).join('') : `${file.name} has ${file.size} bytes: at most ${MOST_BYTES} are read. The command "stridescope run" has no limit.`);
    return;
  }
  await session.read(await file.text(), file.name);
}
