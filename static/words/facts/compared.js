import { exactText } from '../numbers.js';

/** @import { Description } from '../../api/types.js' */
/** @typedef {{name: string, a: string, b: string, differs: boolean}} ComparedRow */

const LINE_BYTES = 64n;
/**
 * Names of properties that have other words here: `padded` is true of gaps too, and others call other things dense.
 * @type {Readonly<Record<string, string>>}
 */
const PROPERTY_WORDS = Object.freeze({ padded: 'padding or gaps', dense: 'dense (PyTorch)' });
/** Why a property says n/a. */
export const WITHOUT_STRIDES = 'n/a: PyTorch reads one stride for each dimension, and this layout has no such strides.';

/**
 * Whether a property holds.
 * @param {Pick<Description, 'properties' | 'not_applicable'>} description
 * @param {string} name
 * @returns {boolean | null | undefined} null where it is not known; undefined where there is nothing that it could be said of
 */
export function holds({ properties, not_applicable }, name) {
  return not_applicable.includes(name) ? undefined : properties[name];
}

/**
 * The properties by the names that a page gives them, each with yes, no, unknown or n/a.
 * @param {Description} description
 * @returns {{name: string, word: string, held: boolean | null | undefined}[]} held: as `holds` says it
 */
export function propertyRows(description) {
  return Object.keys(description.properties).map((name) => {
    const held = holds(description, name);
    const word = held === undefined ? 'n/a' : held === null ? 'unknown' : held ? 'yes' : 'no';
    return { name: PROPERTY_WORDS[name] ?? name, word, held };
  });
}

/**
 * What two layouts of one tensor take, as numbers.
 * @param {Description} description
 * @param {number} itemsize_bits
 */
export function taken({ shape, buffer }, itemsize_bits) {
  const bytes = BigInt(buffer.bytes);
  const elements = shape.reduce((all, size) => all * BigInt(size), 1n);
  const wasted = bytes - (elements * BigInt(itemsize_bits) + 7n) / 8n;
  return { bytes, wasted, lines: (bytes + LINE_BYTES - 1n) / LINE_BYTES };
}

/**
 * @param {Description} description
 * @param {number} itemsize_bits
 * @returns {bigint} the bytes that hold no element; 0 also where elements share addresses, or may do so
 */
export function wastedBytes(description, itemsize_bits) {
  if (description.properties.overlapping !== false) return 0n;
  const { wasted } = taken(description, itemsize_bits);
  return wasted > 0n ? wasted : 0n;
}

/** @param {bigint} count */
const grouped = (count) => exactText(String(count));

/**
 * One sentence about how B differs from A.
 * @param {Description} a
 * @param {Description} b
 * @param {number} itemsize_bits
 * @returns {string}
 */
export function comparedText(a, b, itemsize_bits) {
  const [one, other] = [taken(a, itemsize_bits), taken(b, itemsize_bits)];
  // Elements that share an address take fewer bytes than they have: then nothing is said of waste.
  const said = one.wasted >= 0n && other.wasted >= 0n && one.wasted !== other.wasted
    ? [`wastes ${grouped(other.wasted)} bytes instead of ${grouped(one.wasted)}`] : [];
  if (one.bytes !== other.bytes) said.push(`takes ${grouped(other.bytes)} bytes instead of ${grouped(one.bytes)}`);
  if (one.lines !== other.lines) said.push(`spans ${grouped(other.lines)} cache line${other.lines === 1n ? '' : 's'} instead of ${grouped(one.lines)}`);
  if (said.length === 0) return `A and B take ${grouped(one.bytes)} bytes in ${grouped(one.lines)} cache line${one.lines === 1n ? '' : 's'} each.`;
  const last = said.pop();
  return `B ${said.length > 0 ? `${said.join(', ')} and ${last}` : last}.`;
}

/**
 * The facts of both, beside each other.
 * @param {Description} a
 * @param {Description} b
 * @returns {ComparedRow[]}
 */
export function comparedRows(a, b) {
  /** @param {Description} one @param {number} dim */
  const strides = ({ strides, digits }, dim) => (strides ? exactText(strides[dim]) : digits[dim].map(({ stride }) => exactText(stride)).join(', '));
  /** @param {string} name @param {(one: Description) => string} text */
  const row = (name, text) => ({ name, a: text(a), b: text(b), differs: text(a) !== text(b) });
  const ofB = propertyRows(b);
  return [
    ...a.shape.map((_, dim) => row(`stride of ${[...a.dims][dim].toLowerCase()}`, (one) => strides(one, dim))),
    row('buffer', ({ buffer }) => exactText(buffer.elements)),
    row('bytes', ({ buffer }) => exactText(buffer.bytes)),
    row('in memory', ({ physical_shape }) => (physical_shape ? physical_shape.map(exactText).join('×\u200b') : '–')),
    ...propertyRows(a).map(({ name, word, held }, at) => {
      const { word: other, held: heldOfB } = ofB[at];
      // What is not known of one, or not said of it, is no difference.
      const differs = typeof held === 'boolean' && typeof heldOfB === 'boolean' && held !== heldOfB;
      return { name, a: word, b: other, differs };
    }),
  ];
}
