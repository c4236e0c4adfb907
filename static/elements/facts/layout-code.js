import { describeCurl } from '../../api/fields.js';
import { systemName } from '../../words/systems.js';
import { FactsPart } from '../shared/facts-part.js';
import { make } from '../shared/part.js';
import { CopyButton } from './copy-button.js';

/** @typedef {import('../../state/types.js').Answer} Answer */

/** @type {Readonly<Record<string, string>>} */
const TITLES = Object.freeze({ onednn: 'oneDNN, C++', onednn_c: 'oneDNN 3, C', onednn_descriptor: 'oneDNN 2, C' });

/** Code that creates the layout, and the API call that describes it. */
export class LayoutCode extends FactsPart {
  /**
   * @override
   * @param {Answer} answer
   */
  content({ description: { code }, fields }) {
    const programs = Object.entries(code).map(([system, { text, reason }]) => {
      const title = TITLES[system] ?? systemName(system);
      return text === undefined ? refusal(title, reason ?? '') : program(title, text.trimEnd(), `the ${title} code`);
    });
    return [...programs, program('REST', describeCurl(location.origin, fields), 'the REST call', 'wrapped')];
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {string} what
 * @param {'' | 'wrapped'} [lines]
 */
function program(title, text, what, lines = '') {
  const head = make('div', { class: 'head' }, [make('h3', {}, [title]), CopyButton.of(text, what)]);
  // It scrolls, so it must be focusable, and what is focusable needs a name.
  const code = make('pre', { tabindex: '0', role: 'region', 'aria-label': `Text of ${what}`, class: lines }, [text]);
  return make('section', {}, [head, code]);
}

/**
 * @param {string} title
 * @param {string} reason
 */
function refusal(title, reason) {
  return make('section', {}, [make('h3', {}, [title]), make('p', { class: 'hint' }, [reason])]);
}

customElements.define('layout-code', LayoutCode);
