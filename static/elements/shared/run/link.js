import { LEFT } from '../../../state/run/link.js';
import { make } from '../part.js';

/**
 * A link to the page of runs that takes a pasted log along, in this tab alone.
 * @param {string} log
 */
export function runLink(log) {
  const link = make('a', { href: '/run' }, ['see what ran']);
  link.addEventListener('click', () => sessionStorage.setItem(LEFT, log));
  return link;
}
