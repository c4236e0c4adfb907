import { optionsOf, rulesText } from './rules.js';

/** @import { GraphJson } from '../../api/networks/types.js' */

/**
 * What a text holds: the contract's JSON of a graph, or of a request that has one and may name its rules.
 * @param {string} text
 * @returns {{graph: GraphJson, rules: string}} rules: with their options, as one text; empty where none are named
 * @throws {Error} where it is not JSON, or not of a graph
 */
export function pastedOf(text) {
  const value = JSON.parse(text);
  const { graph = value, rules, options } = value ?? {};
  if (!Array.isArray(graph?.nodes)) throw new Error('The JSON has no list "nodes".');
  if (graph === value || typeof rules !== 'string') return { graph, rules: '' };
  return { graph, rules: rulesText({ rules, options: optionsOf(Object.entries(options ?? {}).map((each) => each.join(':'))) }) };
}
