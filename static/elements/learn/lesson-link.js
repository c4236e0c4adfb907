import { PATH } from '../../state/learn/link.js';
import { relatedLesson } from '../../state/learn/related.js';
import { lessonTitles } from '../shared/page/lists.js';
import { ExplorerPart, find } from '../shared/part.js';

/** Leads from the explorer to the lessons: newcomers to their list, and to the one of the example, or else on what is shown. */
customElements.define('lesson-link', class LessonLink extends ExplorerPart {
  /** @override */
  start() {
    const titles = lessonTitles();
    const show = () => {
      const id = this.session.story?.preset.lesson ?? relatedLesson(this.session.state, this.session.answers.a);
      const link = find(this, '.related', HTMLAnchorElement);
      const path = id === null ? PATH : `${PATH}/${id}`;
      if (link.getAttribute('href') !== path) link.href = path;
      this.say('.related span', id === null ? 'All lessons' : `Lesson: ${titles.get(id)}`);
    };
    this.follow(['story', 'answer', 'state'], show);
  }
});
