import { LEVELS, mergeProgress, parsePlace, parseProgress, PATH, readProgress, writeProgress } from '../state/learn/link.js';
import { LearnSession } from '../state/learn/session.js';
import { learnCommands } from './shared/command/learn.js';
import { copied } from './shared/page/clipboard.js';
import { kept } from './shared/page/kept.js';
import { PageRoot } from './shared/page/root.js';
import { find } from './shared/part.js';
import { readTheme } from './shared/theme.js';
import './learn/lesson-answer.js';
import './learn/lesson-grids.js';
import './learn/lesson-idea.js';
import './learn/lesson-list.js';
import './learn/lesson-question.js';
import './learn/lesson-sheet.js';

const KEY = 'lessons';

/** The page of lessons: starts the session, passes it to every part, keeps its place in the address bar and what was done in this browser. */
customElements.define('learn-page', class LearnPage extends PageRoot {
  /** @override @type {PageRoot['begin']} */
  begin(signal) {
    const { pathname, search } = location;
    const session = new LearnSession(parsePlace(pathname, search), mergeProgress(readProgress(kept(KEY)), parseProgress(search)), readTheme());
    this.join(session, learnCommands(session));
    const example = kept('example', undefined, { briefly: true });
    for (const link of example ? this.querySelectorAll('.kicker .back, nav [data-page="explorer"]') : []) link.setAttribute('href', `/?${example}`);
    session.on('list', () => kept(KEY, writeProgress(session.progress)), signal);
    session.on('place', () => this.#show(session), signal);
    session.on(['list', 'place'], () => this.#entitle(session), signal);
    session.on('list', () => this.#lead(session), signal);
    window.addEventListener('popstate', () => session.go(parsePlace(location.pathname, location.search), 'none'), { signal });
    this.addEventListener('click', (event) => follow(event, session), { signal });
    find(this, '.progress-link', HTMLButtonElement).addEventListener('click', async () => {
      // It brings what was done to another device.
      const link = `${location.origin}${PATH}?done=${writeProgress(session.progress)}`;
      find(this, '.progress-said', HTMLElement).textContent = (await copied(link)) ? 'The link is copied. Open it on the other device.' : link;
    }, { signal });
    void session.begin();
  }

  /** @param {LearnSession} session */
  #show(session) {
    const { place } = session;
    find(this, '.all', HTMLElement).hidden = place.id !== '';
    for (const part of this.querySelectorAll('.one')) part.toggleAttribute('hidden', place.id === '');
    this.keep(session.mark, session.linkTo(place));
    if (session.mark === 'push') for (const each of [window, ...this.querySelectorAll('.column, .stage')]) each.scrollTo({ top: 0 });
  }

  /** @param {LearnSession} session */
  #entitle({ place, list }) {
    const title = list.find(({ id }) => id === place.id)?.title;
    document.title = `${title ?? 'Learn how tensors lie in memory'}: Stridescope`;
  }

  /** Leads to the first question of the course that is not done. @param {LearnSession} session */
  #lead(session) {
    const questions = session.course.flatMap(({ id, title }) => Array.from({ length: LEVELS }, (_, at) => ({ id, title, level: at + 1 })));
    const next = questions.find(({ id, level }) => !session.isDone(id, level));
    const link = find(this, '.begin', HTMLAnchorElement);
    link.hidden = !next;
    if (!next) return;
    link.href = session.linkTo({ id: next.id, level: next.level });
    link.textContent = `${Object.keys(session.progress).length > 0 ? 'Go on' : 'Begin'}: ${next.title}`;
  }
});

/**
 * Follows a link between lessons without loading the page again.
 * @param {MouseEvent} event
 * @param {LearnSession} session
 */
function follow(event, session) {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link?.href || !plain || link.closest('nav')) return;
  const { origin, pathname, search } = new URL(link.href);
  if (origin !== location.origin || !`${pathname}/`.startsWith(`${PATH}/`)) return;
  event.preventDefault();
  session.go(parsePlace(pathname, search));
}
