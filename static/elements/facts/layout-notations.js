import { inFamilies, saidOnce, systemName } from '../../words/systems.js';
import { FactsPart } from '../shared/facts-part.js';
import { make } from '../shared/part.js';
import { CopyButton } from './copy-button.js';

/** @import { Description } from '../../api/types.js' */

const MOST_BESIDE_NAME = 12;

/** The layout in every notation that can write it, and why the others cannot. */
customElements.define('layout-notations', class LayoutNotations extends FactsPart {
  /** @override @type {FactsPart['content']} */
  content({ description: { notations, readings, system }, fields: { layout, steps } }) {
    const all = Object.keys(notations);
    const said = all.filter((system) => notations[system].text !== undefined);
    const families = inFamilies(said).map(({ family, systems }) => section(family, systems.map((one) => entry(one, notations[one].text ?? ''))));
    const own = layout.trim();
    // A view has another layout than the one that was written.
    const known = steps.trim() !== '' || said.some((one) => notations[one].text === own);
    const first = known ? [] : [section('As you wrote it', [entry(readings[0]?.system ?? system ?? '', own)])];
    return [...first, ...families, ...(said.length < all.length ? [unsaid(notations)] : [])];
  }
});

/**
 * @param {string} title
 * @param {Node[]} entries
 */
function section(title, entries) {
  return make('section', {}, [make('h3', {}, [title]), make('ul', { class: 'notations' }, entries)]);
}

/**
 * @param {string} system
 * @param {string} text
 */
function entry(system, text) {
  const name = systemName(system);
  const long = text.length > MOST_BESIDE_NAME;
  const code = make('code', {}, [text]);
  return make('li', { 'data-system': system, class: long ? 'long' : '' }, [
    make('span', { class: 'name' }, [name]),
    code,
    CopyButton.of(() => text, long ? `the notation of ${name}` : `${text} of ${name}`),
  ]);
}

/** @param {Description['notations']} notations */
function unsaid(notations) {
  const reasons = Object.entries(notations).flatMap(([system, { text, reason = '' }]) => (text === undefined ? [/** @type {const} */ ([system, reason])] : []));
  const items = saidOnce(reasons).map(({ said, systems }) => make('li', {}, [make('b', {}, [systems.join(', ')]), ` ${said}`]));
  return make('details', { class: 'unsaid' }, [
    make('summary', {}, [reasons.length === 1 ? 'One cannot say it' : `${reasons.length} cannot say it`]),
    make('ul', { class: 'hint' }, items),
  ]);
}
