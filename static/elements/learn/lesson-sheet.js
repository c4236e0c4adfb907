import { ApiProblem } from '../../api/client.js';
import { checked, lesson } from '../../api/learn.js';
import { defaultTheme } from '../../core/palette.js';
import { LEVELS } from '../../state/learn/link.js';
import { tensorsOf } from '../../state/learn/tensors.js';
import { saidOf } from '../../words/learn/answer.js';
import { gridOf, isNumbered } from '../shared/learn/grids.js';
import { find, LearnPart, make } from '../shared/part.js';

/** @import { Lesson, Checked } from '../../api/learn.js' */
/** @import { Tensor } from '../../core/types.js' */
/** @typedef {{asked: Lesson, told: Checked, tensors: Tensor[]}} Sheet one question */

/** Places in a row of memory, on paper. */
const PAPER = 32;

/** A lesson on paper: its three questions, then the solutions on a page of their own. */
customElements.define('lesson-sheet', class LessonSheet extends LearnPart {
  /** @override */
  start() {
    this.press('button', () => void this.#print());
    this.listen(window, 'afterprint', () => document.documentElement.classList.remove('sheet'));
  }

  async #print() {
    const { signal, session: { place } } = this;
    const seed = place.seed ?? 1;
    const load = async (/** @type {number} */ level) => {
      const asked = await lesson(place.id, { seed, level }, signal);
      const told = await checked(asked, null, signal);
      return { asked, told, tensors: await tensorsOf(asked.tensors, asked.question.memory, signal) };
    };
    try {
      const questions = await Promise.all(Array.from({ length: LEVELS }, (_, at) => load(at + 1)));
      find(this, '.paper', HTMLElement).replaceChildren(...paper(questions));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      return;
    }
    document.documentElement.classList.add('sheet');
    window.print();
  }
});

/** @param {Sheet[]} questions */
function paper(questions) {
  const [{ asked }] = questions;
  const { title, text, seed } = asked;
  const solutions = questions.map(({ asked: { question }, told: { expected, explanation } }) =>
    make('li', {}, [make('strong', {}, [`${saidOf(expected, question.dims)}. `]), explanation]),
  );
  return [
    make('section', { class: 'questions' }, [make('h1', {}, [title]), make('p', {}, [text]), make('ol', {}, questions.map(onPaper))]),
    make('section', { class: 'solutions' }, [make('h1', {}, [`Solutions: ${title}`]), make('ol', {}, solutions), make('p', { class: 'hint' }, [`Sheet ${seed}`])]),
  ];
}

/** @param {Sheet} question */
function onPaper({ asked, tensors }) {
  const { question, shows } = asked;
  const theme = { ...defaultTheme(false), background: '#ffffff' };
  const grids = tensors.flatMap((tensor, at) => {
    const options = { theme, numbered: isNumbered(tensor, shows, at), right: [], given: [], at: at === 0 ? question.at : null, picks: null, line: question.line };
    const shown = /** @type {const} */ (['tensor', 'memory']).filter((grid) => shows[at] === 'both' || shows[at] === grid);
    return shown.flatMap((grid) => gridOf(grid, tensor, options, PAPER));
  });
  const choices = question.kind === 'choice' || question.kind === 'several' ? question.choices.map((text) => make('li', {}, [`☐ ${text}`])) : [];
  return make('li', {}, [make('p', {}, [question.prompt]), ...grids, choices.length > 0 ? make('ul', {}, choices) : make('p', { class: 'line' })]);
}
