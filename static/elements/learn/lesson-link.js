import { PATH } from '../../state/learn/link.js';
import { relatedLesson } from '../../state/learn/related.js';
import { ExplorerPart, find } from '../shared/part.js';

/** Leads from the explorer to the lessons: newcomers to their list, and to the one of the example, or else on what is shown. */
export class LessonLink extends ExplorerPart {
  /** @override @type {ExplorerPart['start']} */
  start(session, signal) {
    const show = () => {
      const id = session.story?.preset.lesson ?? relatedLesson(session.state, session.answers.a);
      find(this, '.related', HTMLAnchorElement).href = id === null ? PATH : `${PATH}/${id}`;
    };
    session.on(['story', 'answer', 'state'], show, signal);
    show();
  }
}

customElements.define('lesson-link', LessonLink);
