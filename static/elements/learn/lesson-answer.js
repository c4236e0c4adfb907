import { LEVELS } from '../../state/learn/link.js';
import { saidOf, unbroken } from '../../words/learn/answer.js';
import { endOf } from '../../words/learn/learnt.js';
import { sumParts } from '../shared/learn/sum-parts.js';
import { find, LearnPart, make } from '../shared/part.js';

/** What is said to an answer: its cause where it is wrong, the way to the right one, and what comes next. */
export class LessonAnswer extends LearnPart {
  /** @override */
  start() {
    this.when(['checked', 'lesson'], () => this.#draw());
    this.press('.another', () => this.session.go({ level: this.session.place.level }));
    this.press('.following', () => this.session.go(this.session.following ?? { id: '' }));
  }

  /** The address that was asked for, as the explorer writes it, with its byte where that is the answer; of a view, in the view. */
  #sum() {
    const { checked, lesson, tensors } = this.session;
    // The first lesson comes before the one that explains the sum.
    if (!checked || !lesson || lesson.id === 'address') return [];
    const { question: { kind, unit, at }, shows } = lesson;
    if (kind !== 'cell' && unit !== 'address' && unit !== 'byte') return [];
    const tensor = tensors[shows.indexOf('after')] ?? tensors[0];
    const coords = kind === 'cell' || !at ? tensor.ownerOf(checked.marks.right[0]).coords : at;
    const byte = unit === 'byte' ? [make('span', { class: 'at where' }, [`byte ${checked.expected}`])] : [];
    return coords ? [...sumParts(tensor, coords, kind === 'cell' && at ? 'next cell' : 'address'), ...byte] : [];
  }

  /** That the lesson is done, after its last question. */
  #end() {
    const { checked, place: { id, level } } = this.session;
    if (!checked?.right || level < LEVELS) return [];
    const [begin, rest] = endOf(id, Array.from({ length: LEVELS }, (_, at) => at + 1).filter((each) => !this.session.isDone(id, each)));
    return [make('p', { class: 'end' }, [make('strong', {}, [begin]), rest])];
  }

  #draw() {
    const { checked, following, lesson, place } = this.session;
    const said = find(this, '.said', HTMLElement);
    said.replaceChildren(...(checked && lesson ? sentences(checked, this.session.given !== null, lesson.question) : []), ...this.#end());
    said.classList.toggle('right', Boolean(checked?.right));
    find(this, '.sum .line', HTMLElement).replaceChildren(...this.#sum());
    find(this, '.acts', HTMLElement).hidden = !checked;
    if (!checked) return;
    const another = find(this, '.another', HTMLButtonElement);
    another.textContent = this.session.fixed ? 'Same question again' : 'Same with other numbers';
    const next = find(this, '.following', HTMLButtonElement);
    next.textContent = !following ? 'To all lessons' : following.id === place.id ? 'Next question' : `Next lesson: ${this.session.neighbour(1)?.title}`;
    // Who was right goes on; who was not may want to try again.
    const [first, second] = checked.right ? [next, another] : [another, next];
    first.classList.add('main');
    second.classList.remove('main');
    first.focus({ preventScroll: true });
    // When the grids after this have been arranged.
    queueMicrotask(() => this.scrollIntoView({ block: 'nearest' }));
  }
}

/**
 * @param {import('../../api/learn.js').Checked} checked
 * @param {boolean} tried whether there was an answer, and it was not given up
 * @param {import('../../api/learn.js').Question} question
 */
function sentences({ right, expected, misconception, landing, explanation }, tried, { kind, dims }) {
  const shown = saidOf(expected, dims) || 'none of them';
  // Cells are marked in the grid, choices in the question, and the explanation names them.
  const answer = kind.startsWith('cell') || kind === 'several' ? 'The answer is marked. ' : `The answer is ${shown}. `;
  if (right) return [make('p', {}, [make('strong', {}, ['✓ Right. ']), unbroken(explanation)])];
  const cause = [landing ?? '', misconception?.text ?? ''].filter(Boolean).join(' ');
  return [
    ...(tried ? [make('p', { class: 'cause' }, [make('strong', {}, ['✗ Not there. ']), unbroken(cause)])] : []),
    make('p', {}, [make('strong', {}, [answer]), unbroken(explanation)]),
  ];
}

customElements.define('lesson-answer', LessonAnswer);
