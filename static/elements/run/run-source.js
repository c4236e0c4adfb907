import { EXAMPLE } from '../../state/run/example.js';
import { counted } from '../../words/numbers.js';
import { otherReader, watchDrops } from '../shared/files/drops.js';
import { find, RunPart } from '../shared/part.js';

const PASTED = 'The pasted text';
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
    const take = (log) => log.trim() && session.read(log, PASTED);
    const clear = () => (text.value = '');
    this.listen(text, 'input', (event) => {
      void take(text.value);
      // The field has one line: the page says what was read, or why not.
      if (event instanceof InputEvent && event.inputType === 'insertFromPaste') clear();
    });
    this.listen(text, 'change', clear);
    const { placeholder } = text;
    this.when('answer', () => {
      text.placeholder = session.name === PASTED ? `${counted(session.log.trim().split('\n').length, 'line')} pasted` : placeholder;
    });
    this.listen(document, 'paste', (event) => {
      const typed = event.target instanceof Element && event.target.closest('input, textarea, dialog[open]');
      if (!typed) void take(event.clipboardData?.getData('text/plain') ?? '');
    });
    this.listen(file, 'change', () => file.files?.[0] && void this.#open(file.files[0]));
    watchDrops((dropped) => void this.#open(dropped), this.signal);
    this.press('.example', () => void session.read(EXAMPLE, 'Example'));
    this.listen(reorders, 'change', () => session.show(reorders.checked));
    this.when('busy', () => this.toggleAttribute('aria-busy', session.busy));
  }

  /** @param {File} file */
  async #open(file) {
    const other = OWN.test(file.name) ? null : otherReader(file);
    if (other || file.size > MOST_BYTES) {
      this.session.refuse(other ? other.map((part) => (typeof part === 'string' ? part : part.textContent)).join('') : `${file.name} has ${file.size} bytes: at most ${MOST_BYTES} are read. The command "stridescope run" has no limit.`);
      return;
    }
    await this.session.read(await file.text(), file.name);
  }
});
