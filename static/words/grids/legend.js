import { exactText } from '../numbers.js';

/** @import { Tensor } from '../../core/types.js' */
/** @typedef {{grid: 'logical' | 'a' | 'b', signs: ReadonlySet<string>, rowLength_elems: number, tensor: Tensor}} Seen what a grid shows of a tensor */

/**
 * How long the rows of memories are.
 * @param {readonly Seen[]} seen
 * @returns {string[]} one for A and B where their rows have one length
 */
export function rowTexts(seen) {
  const memories = seen.filter(({ grid }) => grid !== 'logical');
  const same = new Set(memories.map(({ rowLength_elems }) => rowLength_elems)).size === 1;
  return (same ? memories.slice(0, 1) : memories).map(({ grid, tensor, rowLength_elems }) => {
    const wholes = tensor.loops.filter(({ stride, extent }) => stride > 1 && rowLength_elems % stride === 0 && rowLength_elems <= stride * extent);
    const loop = wholes.reduce((/** @type {typeof wholes[number] | null} */ best, each) => (best && best.stride >= each.stride ? best : each), null);
    const steps = loop && rowLength_elems / loop.stride;
    const step = loop ? `, ${steps === 1 ? 'a step' : `${steps} steps`} of ${tensor.dims[loop.dim].toLowerCase()}` : '';
    return `row${same ? '' : ` ${grid.toUpperCase()}`} of ${exactText(rowLength_elems)}${step}`;
  });
}

/**
 * What the spaces between cells separate. Neighbours in memory are a pixel where they are channels.
 * @param {readonly Seen[]} seen
 * @returns {string} empty without spaces
 */
export function spaceText(seen) {
  const tensor = seen.find(({ signs }) => signs.has('pixels'))?.tensor;
  const inner = tensor?.loops.at(-1);
  const name = inner && tensor ? tensor.dims[inner.dim] : '';
  const parts = [
    inner && `after each ${name.toUpperCase() === 'C' ? 'pixel' : `${exactText(inner.extent)} ${name.toLowerCase()}`}`,
    seen.some(({ signs }) => signs.has('blocks')) && 'between blocks',
  ].filter(Boolean);
  return parts.length > 0 ? `space ${parts.join(', ')}` : '';
}
