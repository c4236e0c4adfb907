import { LEVELS } from '../../state/learn/link.js';
import { find, LearnPart, make } from '../shared/part.js';

/** The idea of a lesson, its levels, and the ways to its neighbours. */
customElements.define('lesson-idea', class LessonIdea extends LearnPart {
  /** @override */
  start() {
    this.when(['list', 'place', 'lesson'], () => this.#draw());
  }

  #draw() {
    const { session } = this;
    const { place, course, at, lesson } = session;
    const summary = course[at] ?? session.list.find(({ id }) => id === place.id);
    this.say('.kicker span', at < 0 ? 'Lesson' : `Lesson ${at + 1} of ${course.length}`);
    for (const [name, step] of /** @type {const} */ ([['previous', -1], ['next', 1]])) {
      const to = session.neighbour(step);
      const link = find(this, `.${name}`, HTMLAnchorElement);
      if (to) link.href = session.linkTo({ id: to.id });
      else link.removeAttribute('href');
      link.setAttribute('aria-label', to ? `${name === 'next' ? 'Next' : 'Previous'} lesson: ${to.title}` : `No ${name} lesson`);
    }
    this.say('h1', summary?.title ?? '');
    // The text before stays until the next one is there, so that the page does not jump.
    if (lesson) this.say('.idea', lesson.text);
    const levels = Array.from({ length: LEVELS }, (_, step) => {
      const level = step + 1;
      const done = session.isDone(place.id, level);
      const link = make('a', { href: session.linkTo({ id: place.id, level }) }, [done ? '✓ ' : '', make('span', { class: 'spoken' }, ['Question ']), String(level)]);
      if (level === place.level) link.setAttribute('aria-current', 'step');
      return make('li', {}, [link]);
    });
    find(this, '.levels', HTMLElement).replaceChildren(...levels);
  }
});
