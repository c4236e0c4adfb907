import { exactText } from './numbers.js';

/** @import { Fix, OrderCost, WalkCost, WarpCost } from '../api/cost.js' */
/** @import { Unit } from '../core/cost/units.js' */
/** @import { Integer } from '../core/types.js' */

export const FIRST_CACHE_BYTES = 2 ** 15;
export const WITH_CACHE = 'Count with 32 KiB';
export const WITHOUT_CACHE = 'Without a cache: only the line of the last access is kept, and one that was left is fetched again.';

/** How much of what was fetched is used, in percent with at most one decimal. @param {WalkCost['lines']} lines */
function shareText({ useful_bytes, fetched_bytes }) {
  const share = (100 * Number(useful_bytes)) / Number(fetched_bytes);
  return Number(fetched_bytes) === 0 ? '–' : `${share >= 99.95 ? 100 : Number(share.toPrecision(3))} %`;
}

/**
 * The counts of a walk, one line each: a name and a number as text. A lower bound has a ≥.
 * @param {WalkCost} cost
 * @returns {[string, string][]}
 */
export function walkLines({ accesses, lines, pages, jumps, stopped }) {
  /** @param {string} field @param {Integer} value */
  const counted = (field, value) => `${stopped?.at_least.includes(field) ? '≥ ' : ''}${exactText(value)}`;
  const { smallest, median, largest } = jumps;
  const of = stopped?.partial.includes('jumps') ? ' (of those counted)' : '';
  return [
    ['accesses', exactText(accesses)],
    ['lines, different', counted('lines.distinct', lines.distinct)],
    ['lines fetched', counted('lines.fetched', lines.fetched)],
    ['bytes used', counted('lines.useful_bytes', lines.useful_bytes)],
    ['bytes fetched', counted('lines.fetched_bytes', lines.fetched_bytes)],
    ['used of fetched', stopped?.at_least.length ? '–' : shareText(lines)],
    ['pages, different', counted('pages.distinct', pages.distinct)],
    ['page look-ups', counted('pages.fetched', pages.fetched)],
    ['smallest jump', smallest === null ? '–' : `${exactText(smallest)}${of}`],
    ['median jump', median === null ? '–' : `${exactText(median)}${of}`],
    ['largest jump', largest === null ? '–' : `${exactText(largest)}${of}`],
  ];
}

/**
 * The fewest lines that an order fetches.
 * @param {readonly Pick<OrderCost, 'lines_fetched' | 'stopped'>[]} orders
 * @returns {bigint | null} null where all fetch as many, and where none is counted to the end
 */
export function fewestLines(orders) {
  const counted = orders.flatMap(({ lines_fetched, stopped }) => (stopped ? [] : [BigInt(lines_fetched)]));
  if (new Set(counted).size < (counted.length < orders.length ? 1 : 2)) return null;
  return counted.reduce((least, each) => (each < least ? each : least));
}

/** Orders with ≥, which the engine puts last. */
export const STOPPED_ORDERS = 'Orders with ≥ fetch at least as many: counting stopped before their end. They come last, by lines per access until then.';

/** @param {WalkCost} cost @returns {string} empty where everything was counted */
export function stoppedText({ stopped }) {
  if (!stopped) return '';
  return `The counter stopped after ${exactText(stopped.accesses)} accesses: numbers with ≥ are at least that large.`;
}

/**
 * The counts of an access: of one warp, and of all warps that cover the tensor.
 * @param {WarpCost} cost
 * @returns {[string, string][]}
 */
export function warpLines(cost) {
  const active = cost.lanes.filter(({ address }) => address !== null).length;
  return [
    ['active lanes', `${active} of ${cost.lanes.length}`],
    ['bytes a lane', String(cost.lane_bytes)],
    ...countLines('one warp', cost),
    ...(cost.all ? countLines(`all warps (${exactText(cost.all.warps)})`, cost.all) : []),
  ];
}

/**
 * @param {string} whose
 * @param {import('../api/cost.js').WarpCounts} counts
 * @returns {[string, string][]}
 */
function countLines(whose, { sectors, ideal_sectors, passes, ideal_passes, conflicts }) {
  const counts = Object.entries({ sectors, 'least sectors': ideal_sectors, passes, 'least passes': ideal_passes, conflicts });
  return counts.flatMap(([name, count]) => (count === null ? [] : [[`${name}, ${whose}`, exactText(count)]]));
}

/**
 * @param {WarpCost} cost
 * @returns {string[]} sentences on accesses that the hardware does not make as one
 */
export function warpNotes({ aligned, contiguous }) {
  const notes = [];
  if (!aligned) notes.push('A lane does not start at a multiple of its size: the hardware refuses that.');
  if (!contiguous) notes.push('The elements of a lane are not neighbours in the tensor.');
  return notes;
}

/** @param {Fix} fix @returns {string} what a fix changes */
export function fixText({ swizzle, padding, outside, extra_elements }) {
  if (swizzle) return `Swizzle<${swizzle.join(',')}>`;
  const unit = padding === 1 ? 'element' : 'elements';
  return `a gap of ${padding} ${unit} per step of ${(outside ?? '').toLowerCase()}, ${exactText(extra_elements)} in all`;
}

/**
 * @param {Fix} fix
 * @returns {string} the passes of all warps along each dimension, proven by counting
 */
export function provenText({ accesses }) {
  const each = accesses.map(({ along, warps, passes, conflicts }) => {
    const over = conflicts === 0 ? 'no conflict' : `${exactText(conflicts)} conflicts`;
    return `along ${along.toLowerCase()} ${exactText(passes)} passes of all warps (${exactText(warps)}), ${over}`;
  });
  return each.join('; ');
}

/**
 * @param {Pick<Unit, 'name' | 'bytes' | 'banks'>} unit
 * @param {number} colours after which they repeat
 * @returns {string} for the legend
 */
export function unitText({ name, bytes, banks }, colours) {
  if (banks > 0) return `by bank of shared memory, ${banks} of ${bytes} B`;
  const names = { line: 'cache line', page: 'page', sector: 'sector', bank: 'bank' };
  return `by ${names[name]} of ${exactText(bytes)} B, again after ${colours}`;
}

/**
 * @param {Pick<Unit, 'name' | 'banks'>} unit
 * @returns {string} what its edge says, for the legend
 */
export function edgeText({ name, banks }) {
  return banks > 0 ? 'bank 0 again' : `another ${name} begins`;
}

/**
 * The choices of the lanes' dimensions: along one alone, or along one and then the others.
 * @param {readonly string[]} dims
 * @param {readonly Integer[]} shape
 * @returns {[string, string][]} their values in the state, and their words
 */
export function alongChoices(dims, shape) {
  /** @type {[string, string][]} */
  const choices = [['', 'all, last first']];
  const moving = dims.flatMap((name, dim) => (Number(shape[dim]) > 1 && [...name].length === 1 ? [name] : []));
  for (const name of moving) choices.push([name, name.toLowerCase()]);
  if (moving.length < 2) return choices;
  for (const name of moving) {
    const others = moving.filter((other) => other !== name).reverse();
    choices.push([[name, ...others].join(''), `${name.toLowerCase()}, then ${others.join(', ').toLowerCase()}`]);
  }
  return choices;
}
