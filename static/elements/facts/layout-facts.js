import { movedOf } from '../../core/layout/explain.js';
import { PRESET_GROUPS } from '../../state/presets.js';
import { explanations } from '../../words/explanations.js';
import { propertyRows, wastedBytes, WITHOUT_STRIDES } from '../../words/facts/compared.js';
import { blocksText, bytesText, unnamedText, wholeText } from '../../words/facts/strides.js';
import { exactText, sizesText } from '../../words/numbers.js';
import { saidOnce, systemName } from '../../words/systems.js';
import { FactsPart } from '../shared/facts-part.js';
import { make } from '../shared/part.js';
import { makeRow, makeTable } from '../shared/table/tables.js';

/** @import { Description } from '../../api/types.js' */

/** What the API says about the layout: strides, sizes, properties, names. */
customElements.define('layout-facts', class LayoutFacts extends FactsPart {
  /** @override @type {FactsPart['content']} */
  content({ description, itemsize_bits }) {
    const warnings = description.warnings.map((warning) => make('p', {}, [warning]));
    const { state, story } = this.session;
    const begins = story !== null && PRESET_GROUPS[0].presets.includes(story.preset);
    const bytes = systemBytes(description);
    const whole = state.show === 'memories' ? wholeText(description) : '';
    const last = [group('Properties', properties(description)), group('Names', names(description))];
    return [
      ...(whole ? [make('p', { class: 'hint' }, [whole])] : []),
      ...(warnings.length > 0 ? [group('Beware', warnings)] : []),
      group(description.swizzle ? 'Strides before the XOR' : 'Strides', strides(description, itemsize_bits)),
      group('Size', [sizes(description, itemsize_bits), ...(begins ? [] : bytes)]),
      // Who begins asks where a cell lies before asking what each system calls that.
      ...(begins ? [make('details', {}, [make('summary', {}, ['Bytes by system, properties, names']), group('', bytes), ...last])] : last),
    ];
  }
});

/**
 * @param {string} title
 * @param {Node[]} content
 */
function group(title, content) {
  return make('section', {}, [...(title ? [make('h2', {}, [title])] : []), ...content]);
}

/**
 * @param {Description} description
 * @param {number} itemsize_bits
 */
function strides({ dims, shape, strides: elements, digits, offset, swizzle }, itemsize_bits) {
  const rows = shape.map((size, dim) => {
    const steps = elements ? [elements[dim]] : digits[dim].map(({ stride }) => stride);
    const own = steps.map(exactText).join(', ');
    const bytes = steps.map((step) => bytesText(step, itemsize_bits)).join(', ');
    return makeRow([...dims][dim].toLowerCase(), [exactText(size), own, bytes]);
  });
  const table = makeTable(['', 'size', 'stride', 'bytes'], rows, { class: 'numbers' });
  const parts = [shape.length > 0 ? table : make('p', {}, ['No dimensions: one element.'])];
  const blocked = digits.flatMap((list, dim) => blocksText([...dims][dim].toLowerCase(), list));
  parts.push(...blocked.map((text) => make('p', { class: 'digits' }, [text])));
  if (Number(offset) !== 0) parts.push(make('p', { class: 'digits' }, [`from offset ${exactText(offset)}`]));
  if (swizzle) parts.push(make('p', { class: 'digits' }, [`address of the sum s: s ^ ${movedOf(swizzle, 's')}`]));
  return parts;
}

/**
 * @param {Description} description
 * @param {number} itemsize_bits
 */
function sizes(description, itemsize_bits) {
  const { dtype, buffer, physical_shape, padded_shape, shape } = description;
  const wasted = wastedBytes(description, itemsize_bits);
  const lines = [
    ['elements', exactText(String(shape.reduce((all, size) => all * BigInt(size), 1n)))],
    ['buffer', exactText(buffer.elements)],
    [`bytes, ${dtype}`, exactText(buffer.bytes)],
  ];
  if (wasted > 0n) lines.push(['wasted bytes', exactText(String(wasted))]);
  if (padded_shape && String(padded_shape) !== String(shape)) lines.push(['padded to', sizesText(padded_shape)]);
  if (physical_shape) lines.push(['in memory', sizesText(physical_shape)]);
  return pairs(lines);
}

/** @param {Description} description */
function systemBytes({ buffer }) {
  const systems = Object.entries(buffer.per_system).flatMap(([system, bytes]) =>
    bytes === null ? [] : [[systemName(system), exactText(bytes)]],
  );
  const none = saidOnce(Object.entries(buffer.reasons)).map((one) => make('p', { class: 'hint' }, [`${one.systems.join(', ')}: ${one.said}`]));
  return [make('h3', {}, ['Bytes by system']), pairs(systems), ...none];
}

/** @param {Description} description */
function properties(description) {
  const items = propertyRows(description).map(({ name, word }) =>
    make('li', { class: word }, [make('span', {}, [name]), make('span', { class: 'word' }, [word])]),
  );
  const why = description.not_applicable.length === 0 ? [] : [make('p', { class: 'hint' }, [WITHOUT_STRIDES])];
  return [make('ul', { class: 'properties' }, items), ...why];
}

/** @param {Description} description */
function names(description) {
  const systems = Object.entries(description.names).filter(([, list]) => list.length > 0);
  if (systems.length === 0) return [make('p', { class: 'hint' }, [unnamedText(description.notations)])];
  const lines = systems.map(([system, list]) => [systemName(system), list.map(({ name }) => name).join(', ')]);
  const reasons = explanations(description).map((sentence) => make('p', { class: 'hint why' }, [sentence]));
  return [...reasons, pairs(lines)];
}

/** @param {string[][]} lines */
function pairs(lines) {
  const items = lines.flatMap(([name, value]) => [make('dt', {}, [name]), make('dd', {}, [value])]);
  return make('dl', { class: 'pairs' }, items);
}
