import { LEVELS } from '../../state/learn/link.js';
import { LearnPart, make } from '../shared/part.js';

/** @import { LearnSession } from '../../state/learn/session.js' */
/** @import { LessonSummary } from '../../api/learn.js' */

/** All lessons of the course by chapter, with the levels that are done. */
customElements.define('lesson-list', class LessonList extends LearnPart {
  /** @override */
  start() {
    this.when(['list', 'place'], () => this.#draw());
  }

  #draw() {
    const { course } = this.session;
    const chapters = [...new Set(course.map(({ chapter }) => chapter))];
    this.replaceChildren(
      ...chapters.map((chapter) =>
        make('section', {}, [
          make('h2', {}, [chapter]),
          make('ol', { start: String(course.findIndex((each) => each.chapter === chapter) + 1) }, course.filter((each) => each.chapter === chapter).map((each) => row(this.session, each))),
        ]),
      ),
    );
  }
});

/**
 * @param {LearnSession} session
 * @param {LessonSummary} summary
 */
function row(session, { id, title, minutes }) {
  const levels = Array.from({ length: LEVELS }, (_, at) => at + 1).filter((level) => session.isDone(id, level));
  const said = levels.length === 0 ? `${minutes} min` : levels.length === LEVELS ? '✓ done' : `✓ ${levels.length} of ${LEVELS}`;
  const link = make('a', { href: session.linkTo({ id }), 'data-lesson': id }, [title]);
  if (id === session.place.id) link.setAttribute('aria-current', 'page');
  return make('li', levels.length === LEVELS ? { class: 'done' } : {}, [link, make('small', {}, [said])]);
}
