import { exactText } from '../numbers.js';

/** @import { Tensor } from '../../core/types.js' */
/** @typedef {{grid: 'logical' | 'a' | 'b', signs: ReadonlySet<string>, rowLength_elems: number, tensor: Tensor}} Seen what a grid shows of a tensor */

/**
 * How long the rows of memories are.
 * @param {readonly Seen[]} seen
 * @returns {string[]} one for A and B where their rows have one length
 */
export function rowTexts(seen) {
  const memories = seen.filter(({ grid }) => grid !== 'logical').map((memory) => ({ ...memory, side: memory.grid.toUpperCase(), ...stepOf(memory) }));
  const [first, second = first] = memories;
  if (!first) return [];
  /** @param {typeof first} memory @param {string} side */
  const alone = ({ rowLength_elems, count, of }, side) => `row${side && ` ${side}`} of ${exactText(rowLength_elems)}${of && `, ${count} ${of}`}`;
  if (first.rowLength_elems !== second.rowLength_elems) return [alone(first, first.side), alone(second, second.side)];
  if (first.count === second.count && first.of === second.of) return [alone(first, '')];
  const steps = memories.filter(({ of }) => of).map(({ side, count, of }, at) => `${at > 0 && count === first.count ? '' : `${count} `}${of} in ${side}`);
  return [`row of ${exactText(first.rowLength_elems)}: ${steps.join(', ')}`];
}

/**
 * @param {Seen} memory
 * @returns {{count: string, of: string}} how many steps of which dimension a row is; both empty where it is of none
 */
function stepOf({ tensor, rowLength_elems }) {
  const wholes = tensor.loops.filter(({ stride, extent }) => stride > 1 && rowLength_elems % stride === 0 && rowLength_elems <= stride * extent);
  const loop = wholes.reduce((/** @type {typeof wholes[number] | null} */ best, each) => (best && best.stride >= each.stride ? best : each), null);
  if (!loop) return { count: '', of: '' };
  const steps = rowLength_elems / loop.stride;
  return { count: steps === 1 ? 'a step' : `${steps} steps`, of: `of ${tensor.dims[loop.dim].toLowerCase()}` };
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
