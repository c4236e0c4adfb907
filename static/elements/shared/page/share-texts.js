import { find } from '../part.js';

/** @import { Code } from '../../../words/facts/code.js' */

/**
 * Lets the buttons `data-copy` of a page's menu Share copy the texts that they name, or say why there is none.
 * @param {(kind: string) => Code | Promise<Code>} codeOf
 * @param {AbortSignal} signal ends it
 */
export function copyTexts(codeOf, signal) {
  const menu = find(document, '#share', HTMLElement);
  const said = find(menu, '.said', HTMLElement);
  const press = async (/** @type {Event} */ { target }) => {
    const kind = target instanceof Element ? target.closest('button[data-copy]')?.getAttribute('data-copy') : null;
    if (!kind) return;
    const { text, reason = '' } = await codeOf(kind);
    if (text === undefined) {
      said.textContent = reason;
      return;
    }
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = 'Copied.';
    } catch {
      // Without HTTPS, or without permission, there is no clipboard.
      said.textContent = 'No clipboard here.';
    }
  };
  menu.addEventListener('click', (event) => void press(event), { signal });
}
