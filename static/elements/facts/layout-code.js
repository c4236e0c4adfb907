import { describeCurl, viewCurl } from '../../api/fields.js';
import { codeTokens } from '../../words/facts/code.js';
import { systemName } from '../../words/systems.js';
import { FactsPart } from '../shared/facts-part.js';
import { make } from '../shared/part.js';
import { CopyButton } from './copy-button.js';

/** @type {Readonly<Record<string, string>>} */
const TITLES = Object.freeze({ onednn: 'oneDNN, C++', onednn_c: 'oneDNN 3, C', onednn_descriptor: 'oneDNN 2, C' });

/** Code that creates the layout, and the API call that describes it. */
export class LayoutCode extends FactsPart {
  /** @override @type {FactsPart['content']} */
  content({ description: { code }, fields, chain }) {
    const programs = Object.entries(code).map(([system, { text, reason }]) => {
      const title = TITLES[system] ?? systemName(system);
      return text === undefined ? refusal(title, reason ?? '') : program(title, text.trimEnd(), `the ${title} code`);
    });
    return [...programs, program('REST', (chain ? viewCurl : describeCurl)(location.origin, fields), 'the REST call')];
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} what
 */
function program(title, text, what) {
  const head = make('div', { class: 'head' }, [make('h3', {}, [title]), CopyButton.of(text, what)]);
  return make('section', {}, [head, make('pre', {}, text.split(/(?<=\n)/).map(wrapped))]);
}

/**
 * A line that goes on below where it is too long: between its tokens, indented further than it begins.
 * @param {string} line
 */
function wrapped(line) {
  const pieces = codeTokens(line).flatMap(({ text, kind }) => [
    ...(/^[,)\]};.:]/.test(text) ? [] : [make('wbr')]),
    kind === '' ? text : make('span', { class: kind }, parted(text, kind)),
  ]);
  const shown = make('span', { class: 'line' }, pieces);
  shown.style.setProperty('--hang', `${line.length - line.trimStart().length + 2}ch`);
  return shown;
}

/**
 * A text in quotes, such as the address of a call, has seams of its own.
 * @param {string} text
 * @param {string} kind
 * @returns {(Node | string)[]}
 */
function parted(text, kind) {
  return kind === 'number' ? [text] : text.split(/(?<=[/&?,=\s])/).flatMap((piece) => [make('wbr'), piece]);
}

/**
 * @param {string} title
 * @param {string} reason
 */
function refusal(title, reason) {
  return make('section', {}, [make('h3', {}, [title]), make('p', { class: 'hint' }, [reason])]);
}

customElements.define('layout-code', LayoutCode);
