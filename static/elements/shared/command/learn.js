import { LEVELS } from '../../../state/learn/link.js';
import { otherExamples, help, pages } from './common.js';

/** @import { LearnSession } from '../../../state/learn/session.js' */
/** @import { Commands } from '../../../words/command/search.js' */

/**
 * What the page of lessons offers to its palette: lessons, pages, examples, help.
 * @param {LearnSession} session
 * @returns {Commands}
 */
export function learnCommands(session) {
  return {
    nothing: 'Nothing found. Type part of a name: of a lesson, an example or a page.',
    entries: (catalogue) => [
      ...pages(),
      ...session.list.map(({ id, title, chapter }) => ({ kind: /** @type {const} */ ('lesson'), title, about: `A lesson of ${LEVELS} steps. ${chapter}`, run: () => session.go({ id }) })),
      ...otherExamples(catalogue),
      ...help('learn'),
    ],
  };
}
