/** @import { Answer } from './session.js' */

/**
 * The nodes and inputs whose name or operator contains a text, in the order of the network.
 * @param {Answer | null} answer
 * @param {string} text
 * @returns {string[]} names
 */
export function namesWith(answer, text) {
  const wanted = text.trim().toLowerCase();
  if (!answer || wanted === '') return [];
  const fits = (/** @type {string[]} */ texts) => texts.some((each) => each.toLowerCase().includes(wanted));
  return [
    ...Object.keys(answer.graph.inputs).filter((name) => fits([name])),
    ...answer.found.nodes.filter(({ name, op }) => fits([name, op])).map(({ name }) => name),
  ];
}
