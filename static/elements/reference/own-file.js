import { saveAs } from '../shared/files/save.js';
import { find } from '../shared/part.js';

/** Sends a file of one's own where the sample of a call is a file, and shows the answer in the sample's place. */
customElements.define('own-file', class OwnFile extends HTMLElement {
  connectedCallback() {
    const input = find(this, 'input', HTMLInputElement);
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file) void this.#send(file);
      input.value = '';
    });
  }

  /** @param {File} file */
  async #send(file) {
    const { method, path = '', media = '' } = this.dataset;
    const answer = await fetch(linkOf(path, new FormData(find(document, '.trial form', HTMLFormElement))), { method, headers: { 'Content-Type': media }, body: file });
    const body = await answer.blob();
    const kind = body.type.split(';')[0];
    const isText = kind.endsWith('json') || kind.startsWith('text/');
    find(document, '#answer', HTMLElement).textContent = `Answer to ${file.name}: ${answer.status}, ${kind}, ${body.size} bytes`;
    const shown = find(document, '.trial .answer', HTMLElement);
    shown.hidden = !isText;
    if (!isText) saveAs(body, `answer-${file.name}`);
    else find(shown, 'pre', HTMLElement).textContent = kind.endsWith('json') ? JSON.stringify(JSON.parse(await body.text()), null, 2) : await body.text();
  }
});

/**
 * The address of a call with the fields of a form.
 * @param {string} path with names in braces
 * @param {FormData} fields
 */
function linkOf(path, fields) {
  const query = new URLSearchParams();
  let link = path;
  for (const [name, value] of fields) {
    const text = String(value);
    if (link.includes(`{${name}}`)) link = link.replace(`{${name}}`, encodeURIComponent(text));
    else if (text) query.set(name, text);
  }
  return query.size > 0 ? `${link}?${query}` : link;
}
