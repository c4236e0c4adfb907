import { describeCurl, viewCurl } from '../../api/fields.js';
import { codeTokens, offsetCode, seamsOf } from '../../words/facts/code.js';
import { systemName } from '../../words/systems.js';
import { FactsPart } from '../shared/facts-part.js';
import { make } from '../shared/part.js';
import { CopyButton } from './copy-button.js';

/** @type {Readonly<Record<string, string>>} */
const TITLES = Object.freeze({ REST: 'REST', c: 'Plain C', onednn: 'oneDNN, C++', onednn_c: 'oneDNN 3, C', onednn_descriptor: 'oneDNN 2, C' });

/** @import { Answer } from '../../state/types.js' */
/** @import { Code } from '../../words/facts/code.js' */

/** Code that creates the layout, and the API call that describes it; of two layouts beside each other. */
customElements.define('layout-code', class LayoutCode extends FactsPart {
  /** @override @type {FactsPart['content']} */
  content(_answer, { a, b }) {
    const sides = [a, b].flatMap((answer) => (answer ? [codesOf(answer)] : []));
    const systems = new Set(sides.flatMap((codes) => Object.keys(codes)));
    return [...systems].map((system) => {
      const title = TITLES[system] ?? systemName(system);
      const codes = sides.map((side) => side[system] ?? {});
      return make('section', {}, [make('h3', {}, [title]), make('div', { class: 'codes' }, codes.map((code, at) => program(code, title, codes.length > 1 ? 'AB'[at] : '', codes[1 - at])))]);
    });
  }
});

/** @param {Answer} answer @returns {Record<string, Code>} */
function codesOf({ description, fields, chain }) {
  return { ...description.code, c: offsetCode(description), REST: { text: (chain ? viewCurl : describeCurl)(location.origin, fields) } };
}

/**
 * @param {Code} code
 * @param {string} title
 * @param {string} side A or B where there are two
 * @param {Code} [other] the code of the other side: a line that it lacks is marked
 */
function program({ text, reason = '' }, title, side, other) {
  if (text === undefined) return make('div', {}, [make('p', { class: 'hint' }, [side && `${side}: `, reason])]);
  const lacking = linesOf(other?.text ?? '');
  const lines = linesOf(text).map((line) => wrapped(line, side !== '' && !lacking.includes(line)));
  const head = make('div', { class: 'head' }, [make('span', {}, [side]), CopyButton.of(() => text.trimEnd(), `the ${title} code${side && ` of ${side}`}`)]);
  return make('div', {}, [head, make('pre', { tabindex: '0' }, lines)]);
}

/** @param {string} text */
function linesOf(text) {
  return text.trimEnd().split(/(?<=\n)/);
}

/**
 * A line that goes on below where it is too long, indented further than it begins. A text in quotes, such as the address
 * of a call, has seams of its own.
 * @param {string} line
 * @param {boolean} differs
 */
function wrapped(line, differs) {
  const seams = seamsOf(line);
  let at = 0;
  const pieces = codeTokens(line).flatMap(({ text, kind }) => {
    const inside = seams.map((seam) => seam - at).filter((seam) => seam >= 0 && seam < text.length);
    at += text.length;
    const parts = kind === 'string' ? text.split(/(?<=[/&?,=\s])/) : [0, ...inside].map((from, part) => text.slice(from, inside[part]));
    const shown = parts.flatMap((part, n) => (n > 0 ? [make('wbr'), part] : [part]));
    // The mark of a comment stays with its first word.
    const [first] = (kind === 'comment' && /^\S+\s\S+/.exec(text)) || [''];
    if (first) shown.splice(0, shown.length, make('span', { class: 'together' }, [first]), text.slice(first.length));
    return kind === '' ? shown : [make('span', { class: kind }, shown)];
  });
  const shown = make('span', { class: differs ? 'line differs' : 'line' }, pieces);
  shown.style.setProperty('--hang', `${line.length - line.trimStart().length + 2}ch`);
  return shown;
}
