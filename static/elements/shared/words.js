import { wordFinder } from '../../words/help/linked.js';
import { make } from './part.js';

/** Where a word stays text: in a control, in what is typed or drawn, and where it is only spoken. */
const APART = 'button, a, label, select, summary, legend, dialog, textarea, pre, code, canvas, svg, .mono, .spoken, .first, .numbering, .as-table, .entries h2, .kicker, .menu, [aria-hidden=true], [role=listbox]';

/**
 * Makes each explained word of a page a button that opens its explanation: in each element of the page where it first
 * stands, now and whenever its text changes.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal ends it
 */
export function explainWords(root, signal) {
  const boxes = [...document.querySelectorAll('.words [data-forms]')].filter((box) => box instanceof HTMLElement);
  if (boxes.length === 0) return;
  const find = wordFinder(boxes.map(({ id, dataset }) => [dataset.forms ?? '', id]), boxes[0].parentElement?.dataset.plain?.split(', ') ?? []);
  /** @param {Node} node */
  const explain = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = node instanceof Text ? [node] : [];
    while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
    for (const text of texts) explainText(text, root, find);
  };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) for (const node of addedNodes.length > 0 ? addedNodes : [target]) explain(node);
    observer.takeRecords();
  });
  explain(root);
  boxes[0].parentElement?.addEventListener('beforetoggle', ({ target }) => explain(/** @type {Node} */ (target)), { capture: true, signal });
  observer.observe(root, { subtree: true, childList: true, characterData: true });
  signal.addEventListener('abort', () => observer.disconnect());
}

/**
 * @param {Text} text
 * @param {HTMLElement} root
 * @param {ReturnType<typeof wordFinder>} find
 */
function explainText(text, root, find) {
  const found = find(text.data);
  const parent = text.parentElement;
  if (found.length === 0 || !parent?.isConnected || parent.closest(APART)) return;
  const part = partOf(parent, root);
  const shown = [...part.querySelectorAll('.word')].filter((button) => !button.closest('[hidden]'));
  // The part that explains a word has the word's name.
  const seen = new Set([part.id, `word-${part.id}`, ...shown.map((button) => button.getAttribute('popovertarget'))]);
  // From the end: what stands before keeps its place.
  const fresh = found.filter(({ id }) => !seen.has(id) && seen.add(id));
  for (const { index, form, id } of fresh.reverse()) {
    const rest = text.splitText(index + form.length);
    const button = make('button', { type: 'button', class: 'word', popovertarget: id }, [form]);
    const word = text.splitText(index);
    // A line never begins with the mark that ends a word, and none ends with a bracket that opens before it.
    const [mark] = /^[.,;:!?)]*/.exec(rest.data) ?? [''];
    const [bracket] = /[([]*$/.exec(text.data) ?? [''];
    rest.data = rest.data.slice(mark.length);
    text.data = text.data.slice(0, index - bracket.length);
    word.replaceWith(bracket || mark ? make('span', { class: 'together' }, [bracket, button, mark]) : button);
  }
}

/** @param {Element} element @param {HTMLElement} root @returns {Element} the element of the page that it belongs to */
function partOf(element, root) {
  for (let one = /** @type {Element | null} */ (element); one && one !== root; one = one.parentElement) {
    if (one.localName.includes('-')) return one;
  }
  return element.closest('section, aside, [popover]') ?? root;
}
