/** @import { NetworkSession, Answer } from './session.js' */
/** @import { Box } from '../../core/network/types.js' */

const REORDER = /^reorder (\d+)$/;

/**
 * The name by which the page's state chooses a box.
 * @param {Box} box
 */
export function nameOfBox(box) {
  return box.kind === 'reorder' ? `reorder ${box.first}` : box.name;
}

/**
 * What is chosen: a box, or a node that is drawn inside of one.
 * @param {Answer | null} answer
 * @param {string} name
 * @returns {Box | null}
 */
export function boxOfName(answer, name) {
  if (!answer?.scene || name === '') return null;
  const { boxes } = answer.scene;
  const reorder = REORDER.exec(name);
  if (reorder) return boxes.find(({ kind, first }) => kind === 'reorder' && first === Number(reorder[1])) ?? null;
  const index = answer.found.nodes.findIndex((node) => node.name === name);
  if (index < 0) return boxes.find((box) => box.kind === 'input' && box.name === name) ?? null;
  return (
    boxes.find(({ kind, first, last }) => (kind === 'node' || kind === 'fold') && first <= index && index <= last) ?? null
  );
}

/**
 * Draws a repeated block in full, or as one box again.
 * @param {NetworkSession} session
 * @param {string} name of its first node
 */
export function toggleFold(session, name) {
  const { unfolded } = session.state;
  const open = unfolded.includes(name);
  session.change({ unfolded: open ? unfolded.filter((each) => each !== name) : [...unfolded, name], at: name });
}
