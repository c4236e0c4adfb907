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
  const ids = explainedWords();
  if (ids.size === 0) return;
  const forms = [...ids.keys()].sort((one, other) => other.length - one.length).map((form) => form.replaceAll(/[^\w ]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w-])(?:${forms.join('|')})(?![\\w-])`, 'gi');
  /** @param {Node} node */
  const explain = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = node instanceof Text ? [node] : [];
    while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
    for (const text of texts) explainText(text, root, pattern, ids);
  };
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) for (const node of addedNodes.length > 0 ? addedNodes : [target]) explain(node);
    observer.takeRecords();
  });
  explain(root);
  observer.observe(root, { subtree: true, childList: true, characterData: true });
  signal.addEventListener('abort', () => observer.disconnect());
}

/** @returns {Map<string, string>} the ids of explanations by written form, as the server wrote them into the page */
function explainedWords() {
  const boxes = [...document.querySelectorAll('.words [data-forms]')];
  return new Map(boxes.flatMap((box) => (box.getAttribute('data-forms') ?? '').split(', ').map((form) => /** @type {const} */ ([form.toLowerCase(), box.id]))));
}

/**
 * @param {Text} text
 * @param {HTMLElement} root
 * @param {RegExp} pattern
 * @param {ReadonlyMap<string, string>} ids
 */
function explainText(text, root, pattern, ids) {
  const found = [...text.data.matchAll(pattern)];
  const parent = text.parentElement;
  if (found.length === 0 || !parent?.isConnected || parent.closest(APART)) return;
  const part = partOf(parent, root);
  const seen = new Set([...part.querySelectorAll('.word')].filter((button) => !button.closest('[hidden]')).map((button) => button.getAttribute('popovertarget')));
  // From the end: what stands before keeps its place.
  const fresh = found.filter(({ 0: form }) => {
    const id = ids.get(form.toLowerCase()) ?? '';
    return !seen.has(id) && seen.add(id);
  });
  for (const { 0: form, index } of fresh.reverse()) {
    const rest = text.splitText(index + form.length);
    const button = make('button', { type: 'button', class: 'word', popovertarget: ids.get(form.toLowerCase()) ?? '' }, [form]);
    // A line never begins with the mark that ends a word.
    const [mark] = /^[.,;:!?)]*/.exec(rest.data) ?? [''];
    rest.data = rest.data.slice(mark.length);
    text.splitText(index).replaceWith(mark ? make('span', { class: 'together' }, [button, mark]) : button);
  }
}

/**
 * @param {Element} element
 * @param {HTMLElement} root
 * @returns {Element} the element of the page that it belongs to
 */
function partOf(element, root) {
  for (let one = /** @type {Element | null} */ (element); one && one !== root; one = one.parentElement) {
    if (one.localName.includes('-')) return one;
  }
  return element.closest('section, aside') ?? root;
}
