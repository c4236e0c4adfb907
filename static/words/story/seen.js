import { LETTERS } from '../../core/numbers.js';
import { contains } from '../../core/shape.js';
import { holds, wastedBytes } from '../facts/compared.js';
import { coordsText, exactText, sizesText } from '../numbers.js';
import { raised } from './lowered.js';

/** @typedef {{description: import('../../api/types.js').Description, memory: {description: import('../../api/types.js').Description}, tensor: import('../../core/types.js').Tensor | null, itemsize_bits: number}} Answer */

const MOST_OFFSETS = 8;
/** With more names for the same memory none of them says much. */
const MOST_RIVALS = 2;
/** @type {Readonly<Record<string, string>>} */
const PROPERTY_WORDS = Object.freeze({ padded: 'with padding or gaps' });

/**
 * What a trial showed: sentences that follow from the answers before and after it, and from nothing else.
 * @param {Answer | null} before to the example; null where it was not asked
 * @param {Answer} now
 * @param {{selected: readonly number[] | null, b?: Answer | null, offsets?: readonly import('../../core/types.js').Integer[] | null, properties?: boolean}} shown
 *   the chosen cell, what is compared, the addresses that a slice takes, and whether words for the whole layout are known already
 * @returns {string}
 */
export function seenText(before, now, { selected, b = null, offsets = null, properties = true }) {
  const shared = !before && now.description.properties.overlapping ? 'Elements share addresses.' : '';
  const sentences = [!before && namesText(now), cellText(before, now, b, selected), numberText(before, now), offsets && offsetsText(offsets), (before || !b) && sizeText(before, now, properties), shared, properties && propertiesText(before, now)];
  return sentences.filter(Boolean).join(' ');
}

/**
 * The names of the layout, where it is written as something else: strides, say, come with a log or a debugger.
 * @param {Answer} answer
 */
function namesText({ description: { layout, names } }) {
  /** @param {string} system */
  const sure = (system) => (names?.[system] ?? []).flatMap(({ name, cause }) => (cause === null ? [name] : []));
  const tags = sure('onednn');
  const [pytorch] = sure('pytorch');
  const same = names?.letters?.find(({ cause, rivals }) => cause === 'same_memory' && rivals.length <= MOST_RIVALS);
  // Of several tags, for activations and for weights, none is the name; and a tag of blocks tells nobody more than NCHW4.
  const name = sure('letters')[0] ?? same?.name ?? (pytorch && tags.length === 1 ? tags[0] : '');
  if (!name || name.toLowerCase() === layout.toLowerCase()) return '';
  const rivals = same?.name === name && same.reason ? ` ${raised(same.reason)}.` : '';
  return `This is ${name}${pytorch && pytorch !== layout ? `, ${pytorch} in PyTorch` : ''}.${rivals}`;
}

/**
 * @param {Answer | null} answer
 * @param {readonly number[] | null} coords
 * @returns {number | null} the address of a cell, null where there is none
 */
function addressOf(answer, coords) {
  const tensor = answer?.tensor;
  return tensor && coords?.length === tensor.shape.length && contains(tensor.shape, coords) ? tensor.addressOf(coords) : null;
}

/**
 * @param {Answer | null} before
 * @param {Answer} now
 * @param {Answer | null} b
 * @param {readonly number[] | null} coords
 */
function cellText(before, now, b, coords) {
  const [was, is, beside] = [addressOf(before, coords), addressOf(now, coords), addressOf(b, coords)];
  if (is === null || !coords || !now.tensor) return '';
  const cell = coordsText(now.tensor.dims, coords);
  if (beside !== null) return `${cell}: address ${exactText(is)} in A, ${exactText(beside)} in B.`;
  if (was === null) return `${cell} is at address ${exactText(is)}.`;
  const [old, fresh] = [before?.description.layout, now.description.layout];
  if (was !== is && old !== fresh) return `${cell} is at address ${exactText(was)} in ${old}, at ${exactText(is)} in ${fresh}.`;
  if (was !== is) return `${cell} was at address ${exactText(was)} and is at ${exactText(is)} now.`;
  const bits = [before?.itemsize_bits ?? 0, now.itemsize_bits];
  const bytes = bits[0] === bits[1] ? '' : `, which is byte ${exactText(Math.floor((is * bits[1]) / 8))} instead of ${exactText(Math.floor((is * bits[0]) / 8))}`;
  return `${cell} stays at address ${exactText(is)}${bytes}.`;
}

/**
 * Why the numbers of cells are their addresses now.
 * @param {Answer | null} before
 * @param {Answer} now
 */
function numberText(before, { description, tensor }) {
  const agree = holds(description, 'contiguous') && before && !holds(before.description, 'contiguous');
  return agree && tensor && tensor.elements > LETTERS ? 'Here number and address agree: the numbers count in this order.' : '';
}

/** @param {readonly import('../../core/types.js').Integer[]} offsets */
function offsetsText(offsets) {
  const shown = offsets.slice(0, MOST_OFFSETS).map(exactText).join(', ');
  return `The slice takes the addresses ${shown}${offsets.length > MOST_OFFSETS ? ', …' : ''}.`;
}

/**
 * @param {Answer | null} before
 * @param {Answer} now
 * @param {boolean} kept whether it is worth a word that nothing changed
 */
function sizeText(before, now, kept) {
  const [old, { buffer }] = [before?.memory.description, now.memory.description];
  const { shape } = now.description;
  const grown = before && String(before.description.shape) !== String(shape) ? `${sizesText(shape)} elements. ` : '';
  const addresses = `${exactText(buffer.elements)} ${Number(buffer.elements) === 1 ? 'address' : 'addresses'}`;
  if (!old) return `The buffer has ${addresses}${wastedText(now)}.`;
  if (String(old.buffer.elements) === String(buffer.elements)) return kept || grown ? `${grown}The buffer keeps its ${addresses}.` : '';
  return `${grown}The buffer has ${addresses} instead of ${exactText(old.buffer.elements)}${wastedText(now)}.`;
}

/** @param {Answer} answer */
function wastedText({ description, memory, itemsize_bits }) {
  const wasted = wastedBytes(description, itemsize_bits);
  // What a view leaves out holds elements all the same.
  if (wasted === 0n || description !== memory.description) return '';
  const { buffer, shape } = description;
  const empty = BigInt(buffer.elements) - shape.reduce((all, size) => all * BigInt(size), 1n);
  return `; ${exactText(String(empty))} of them ${empty === 1n ? 'holds' : 'hold'} no element (${exactText(String(wasted))} ${wasted === 1n ? 'byte' : 'bytes'})`;
}

/**
 * The properties that came and went.
 * @param {Answer | null} before
 * @param {Answer} now
 */
function propertiesText(before, now) {
  const old = before?.description;
  const names = old ? Object.keys(now.description.properties).filter((name) => holds(old, name) !== holds(now.description, name)) : [];
  /** @param {boolean} wanted */
  const named = (wanted) => names.filter((name) => holds(now.description, name) === wanted).map((name) => PROPERTY_WORDS[name] ?? name);
  const [came, went] = [named(true), named(false)];
  const parts = [came.length > 0 && `now it is ${came.join(', ')}`, went.length > 0 && `no longer ${went.join(', ')}`].filter(Boolean).join('; ');
  return parts && `${raised(parts)}.`;
}
