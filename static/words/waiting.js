import { rankOf } from '../api/fields.js';
import { counted } from './numbers.js';

/** @import { FieldName } from '../api/types.js' */

const MOST_NAMES = 2;

/** @type {Readonly<Record<FieldName, string>>} */
const LABELS = Object.freeze({
  shape: 'Shape',
  layout: 'Layout',
  dtype: 'Type',
  dims: 'Dimension names',
  steps: 'Views',
  slice: 'Slice',
  elements: 'Buffer',
  other: '',
});

/**
 * An error as it is shown below the fields: the name of the field that it is about, and what is wrong. Integers that
 * the API repeats as a list of JSON stand as they were typed.
 * @param {{field: FieldName, about: FieldName, message: string, sizes?: number}} problem
 * @param {string} label of the field at which it is shown
 * @param {string} typed what stands in the field that it is about
 * @returns {string}
 */
export function problemText({ field, about, message, sizes }, label, typed) {
  if (field !== about && sizes !== undefined) return `${label}: this one is for ${counted(sizes, 'size')}, but the shape ${typed.trim()} has ${rankOf(typed)}`;
  const sent = `got [${(typed.match(/-?\d+/g) ?? []).join(', ')}]`;
  return `${field === about ? label : LABELS[about]}: ${message.replace(sent, () => `got ${typed.trim()}`)}`;
}

/**
 * That a link leaves a field out.
 * @param {FieldName} name
 * @param {string} text what the page takes for it
 */
export function leftOutText(name, text) {
  return `The link names no ${name}: ${text} stands for it.`;
}

/**
 * What is said of a text that is the beginning of a right one.
 * @param {FieldName} name of its field
 * @param {{kind: 'names', names: readonly string[], right?: boolean} | {kind: 'count', have: number, want: number} | {kind: 'open'}} how
 * @returns {string}
 */
export function waitingText(name, how) {
  switch (how.kind) {
    case 'names': {
      const names = how.names.filter((name, at) => how.names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at);
      return `Go on typing: ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ' …' : ''}${how.right ? ', or press Enter.' : ''}`;
    }
    case 'count': {
      const things = { shape: 'sizes', layout: 'strides', dims: 'names' }[String(name)] ?? 'parts';
      return `Go on typing: ${how.have} of ${how.want} ${things}`;
    }
    case 'open':
      return 'Go on typing.';
  }
}
