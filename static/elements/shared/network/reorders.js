import { bytesText } from '../../../core/network/texts.js';
import { adviceText, reordersText } from '../../../words/network.js';
import { counted } from '../../../words/numbers.js';
import { make } from '../part.js';

/** @import { NetworkSession, Answer } from '../../../state/network/session.js' */
/** @import { Copy } from '../../../state/network/assignment.js' */

const MOST_LISTED = 200;

/**
 * How reorders could be avoided: a row for each change, with the kinds of reorders that it avoids, which a press shows in the drawing.
 * @param {NetworkSession} session
 * @param {Answer} answer
 * @param {(kind: import('../../../api/networks/types.js').Advice) => boolean} [concerns] which of it
 * @returns {Node[]} nothing where the API gives no advice, as for a plan
 */
export function adviceParts(session, { found, show, assignment }, concerns = () => true) {
  const advice = show === 'rules' ? (found.advice ?? []).filter(concerns) : [];
  /** @param {typeof advice[number]} kind @param {'source' | 'target'} side @returns {string} the drawing's name, and the system's own beside it */
  const drawn = (kind, side) => {
    const shorts = new Set(assignment.copies.flatMap((copy) => (kind.edges.includes(copy.tensor) ? [copy[side].short] : [])));
    const [short] = shorts;
    return shorts.size !== 1 || short.toLowerCase() === kind[side].toLowerCase() ? kind[side] : `${short} (${kind[side]})`;
  };
  /** @param {typeof advice[number]} kind @returns {Node[]} where no change helps, the text itself says how many there are */
  const headOf = (kind) => [
    ...(kind.change || kind.inside ? [make('b', {}, [!kind.change ? 'Inside nodes' : kind.inside ? `Inside ${counted(kind.count, 'node')}, ${bytesText(kind.bytes)}` : reordersText(kind.count, kind.bytes)])] : []),
    ...(kind.inside ? [] : [make('span', { class: 'mono hint' }, [`${drawn(kind, 'source')} → ${drawn(kind, 'target')}`])]),
  ];
  const items = [...new Set(advice.map(adviceText))].map((text) => {
    const kinds = advice.filter((each) => adviceText(each) === text);
    const edges = kinds.flatMap((kind) => kind.edges);
    const pressed = edges.length > 0 && edges.every((name) => session.picked.has(name));
    const heads = kinds.map((kind) => make('span', {}, headOf(kind)));
    const button = make('button', { type: 'button', class: 'quiet', 'aria-pressed': String(pressed) }, heads);
    button.addEventListener('click', () => session.pick(button.getAttribute('aria-pressed') === 'true' ? [] : edges));
    return make('li', { 'data-edges': edges.join('\n') }, [button, make('p', {}, [text])]);
  });
  return items.length > 0
    ? [
        make('h3', {}, ['How to save bytes']),
        make('p', { class: 'hint' }, ['Each change is counted alone: two may save the same reorders.']),
        make('ul', { class: 'items advice' }, items),
      ]
    : [];
}

/**
 * All reorders, those from one layout to another summed, the largest sum first.
 * @param {Answer} answer
 * @returns {Node[]}
 */
export function reorderParts({ assignment }) {
  /** @type {Map<string, Copy[]>} */
  const kinds = new Map();
  for (const copy of assignment.copies) {
    const kind = `${copy.source.short} → ${copy.target.short}${copy.prepared ? ', weights' : ''}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), copy]);
  }
  const sum = (/** @type {Copy[]} */ copies) => copies.reduce((total, { bytes }) => total + bytes, 0);
  const rows = [...kinds].sort(([, a], [, b]) => sum(b) - sum(a));
  if (rows.length === 0) return [];
  return [
    make('h3', {}, ['Reorders']),
    ...rows.map(([kind, copies]) =>
      make('details', { class: 'kind', ...(copies.length === 1 ? { open: '' } : {}) }, [
        make('summary', {}, [make('span', { class: 'mono' }, [kind]), ` ${reordersText(copies.length, sum(copies))}`]),
        make('ul', { class: 'items' }, copies.slice(0, MOST_LISTED).map(copyItem)),
      ]),
    ),
  ];
}

/** @param {Copy} copy */
export function copyItem({ tensor, source, target, bytes, href }) {
  const side = (/** @type {typeof source} */ placed) =>
    placed.href ? make('a', { href: placed.href, class: 'mono', title: placed.text ?? '' }, [placed.short]) : placed.short;
  return make('li', {}, [
    make('span', { class: 'mono' }, [tensor]), ' ', side(source), ' → ', side(target),
    make('span', { class: 'mono hint' }, [` ${bytesText(bytes)} `]),
    ...(href ? [make('a', { href, 'aria-label': `Watch the reorder of ${tensor}` }, ['watch'])] : []),
  ]);
}
