import { make } from '../part.js';

/**
 * A table of lines with a name and one number per side.
 * @param {readonly string[]} heads of the columns with numbers; none for a single column
 * @param {readonly (readonly string[])[]} rows a name, then the numbers
 * @param {string} [caption]
 */
export function numbersTable(heads, rows, caption = '') {
  const body = rows.map(([name, ...numbers]) =>
    make('tr', {}, [make('th', { scope: 'row' }, [name]), ...numbers.map((text) => make('td', {}, [text]))]),
  );
  const top = heads.length > 0 ? [make('thead', {}, [headRow(heads)])] : [];
  const said = caption ? [make('caption', {}, [caption])] : [];
  return make('table', { class: 'numbers counted' }, [...said, ...top, make('tbody', {}, body)]);
}

/** @param {readonly string[]} heads */
function headRow(heads) {
  return make('tr', {}, [make('td'), ...heads.map((text) => make('th', { scope: 'col' }, [text]))]);
}

/**
 * Puts nodes into a box, if their text is another one: a live region then speaks once.
 * @param {HTMLElement} box
 * @param {readonly Node[]} nodes
 */
export function fillBox(box, nodes) {
  const fresh = make('div', {}, [...nodes]);
  if (fresh.textContent === box.textContent && nodes.length === box.childNodes.length) return;
  box.replaceChildren(...nodes);
}
