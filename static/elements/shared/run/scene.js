import { SIZES, WIDTH } from '../../../state/network/scene.js';
import { explorerHref, layoutText, sizesOf, timeText } from '../../../words/run/events.js';

/** @import { RunAnswer, RunEvent } from '../../../api/run.js' */

/**
 * The chain of a run as a network is drawn: events as operators and reorders, tensors as lines between them.
 * @param {RunAnswer} answer
 * @param {ReadonlySet<number>} hot events that are framed
 * @returns {import('../../../core/network/types.js').Scene | null}
 */
export function sceneOfRun({ kind: source, chain, events, links }, hot) {
  if (!chain) return null;
  const { width, height, vertices, edges } = chain.drawing;
  const boxes = vertices.map(({ kind, name, first, x, y, layer }, at) => ({
    ...textOf(events[first], kind === 'reorder', source === 'stridescope-trace'),
    at, kind, name, first, last: first, x, y, layer,
    width: kind === 'reorder' ? WIDTH + 8 : WIDTH,
    height: SIZES[kind],
    lost: '',
    moves: false,
    changed: hot.has(first),
    foldable: false,
  }));
  const lines = edges.map((edge, at) => {
    const { target, operand: place, one_of: many } = links[Number(edge.tensor)];
    const operand = events[target].operands[place];
    const { kind, short } = chain.labels[at];
    return {
      ...edge,
      tensor: `${operand.role} ${sizesOf(operand)}`,
      kind: many > 1 ? /** @type {const} */ ('unknown') : kind,
      label: many > 1 ? `${short}, one of ${many}` : short,
      labelled: true,
      changed: false,
      href: explorerHref(operand) ?? '',
    };
  });
  return { width, height, boxes, lines };
}

/**
 * @param {RunEvent} event
 * @param {boolean} moves
 * @param {boolean} traced whether it is an operator of a trace, which has a module and mostly no time
 */
function textOf({ index, primitive, operands, problem, ms }, moves, traced) {
  const [source, target] = operands;
  const named = moves && target ? `${layoutText(source)} → ${layoutText(target)}` : primitive.replace(/^aten\./, '');
  return { title: named, detail: `${index + 1}: ${traced && ms === null ? problem : timeText(ms)}` };
}
