import { make } from '../part.js';

/**
 * A row of a table: its name, then its cells.
 * @param {Node | string} name
 * @param {readonly (Node | string)[]} cells texts, or cells that are made already
 * @param {Record<string, string>} [attributes]
 */
export function makeRow(name, cells, attributes = {}) {
  const made = cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : make('td', {}, [cell])));
  return make('tr', attributes, [make('th', { scope: 'row' }, [name]), ...made]);
}

/**
 * @param {readonly string[]} heads of the columns, an empty one over the names; none where columns need none
 * @param {Node[]} rows
 * @param {Record<string, string>} [attributes]
 * @param {string} [caption] that is only spoken
 */
export function makeTable(heads, rows, attributes = {}, caption = '') {
  const columns = heads.map((text) => (text ? make('th', { scope: 'col' }, [text]) : make('td')));
  return make('table', attributes, [
    ...(caption ? [make('caption', { class: 'spoken' }, [caption])] : []),
    ...(heads.length > 0 ? [make('thead', {}, [make('tr', {}, columns)])] : []),
    make('tbody', {}, rows),
  ]);
}

/**
 * A table of lines with a name and one number per side.
 * @param {readonly string[]} heads of the columns with numbers; none for a single column
 * @param {readonly (readonly string[])[]} rows a name, then the numbers
 */
export function numbersTable(heads, rows) {
  const body = rows.map(([name, ...numbers]) => makeRow(name, numbers));
  return makeTable(heads.length > 0 ? ['', ...heads] : [], body, { class: 'numbers counted' });
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
