import { sendFile } from '../../api/own-file.js';
import { exactText } from '../../words/numbers.js';
import { saveAs } from '../shared/files/save.js';
import { find } from '../shared/part.js';

/** Sends a file of one's own where the sample of a call is a file, and shows the answer in the sample's place. */
customElements.define('own-file', class OwnFile extends HTMLElement {
  connectedCallback() {
    const input = find(this, 'input', HTMLInputElement);
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file) void this.#send(file);
    });
  }

  /** @param {File} file */
  async #send(file) {
    const { method = '', path = '', media = '' } = this.dataset;
    const fields = new FormData(find(document, '.trial form', HTMLFormElement));
    const answer = await sendFile({ method, path, media }, fields, file);
    find(document, '#answer', HTMLElement).textContent = `Answer to ${file.name}: ${answer.status}, ${answer.media}, ${exactText(answer.body.size)} bytes`;
    const shown = find(document, '.trial .answer', HTMLElement);
    shown.hidden = answer.text === null;
    find(shown, 'pre', HTMLElement).textContent = answer.text;
    if (answer.text === null) saveAs(answer.body, `answer-${file.name}`);
  }
});
