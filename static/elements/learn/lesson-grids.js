import { NARROW } from '../shared/page/root.js';
import { memoryOf, planesOf } from '../shared/learn/grids.js';
import { LearnPart, make } from '../shared/part.js';

/** @typedef {import('../../core/types.js').Tensor} Tensor */

/** Places in a row of memory, on a wide and on a narrow screen. */
const WIDE = 24;
const PHONE = 16;
const PICKS = Object.freeze({ cell: 'radio', cells: 'checkbox' });
const STEPS = Object.freeze({ ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] });

/** The tensors of a question: with `part="given"` what is shown before the answer, else what the answer reveals. */
customElements.define('lesson-grids', class LessonGrids extends LearnPart {
  /** @override */
  start() {
    const draw = () => this.#draw();
    this.when(['lesson', 'checked', 'theme'], draw);
    this.listen(matchMedia(NARROW), 'change', draw);
    this.listen(this, 'keydown', (event) => move(event));
    this.listen(this, 'change', () => this.#colour());
  }

  #draw() {
    const { lesson, tensors, checked } = this.session;
    const revealed = this.getAttribute('part') !== 'given';
    const sections = (lesson && (!revealed || checked) ? tensors : []).flatMap((tensor, at) => {
      const shows = lesson?.shows[at] ?? 'both';
      const before = shows === 'both' ? ['tensor', 'memory'] : [shows];
      const shown = revealed ? ['tensor', 'memory'].filter((each) => !before.includes(each)) : before;
      return shown.map((grid) => this.#section(tensor, at, grid));
    });
    const believed = revealed ? this.#believed() : [];
    // It stands beside the right memory, which is above the question or the first of these.
    this.replaceChildren(...(lesson?.shows[0] === 'tensor' ? [...sections, ...believed] : [...believed, ...sections]));
  }

  /**
   * @param {Tensor} tensor
   * @param {number} at
   * @param {string} grid
   */
  #section(tensor, at, grid) {
    const { lesson, checked, theme } = this.session;
    if (!lesson) return '';
    const { question, shows, tensors } = lesson;
    const first = at === 0;
    const kind = first && !checked && (question.kind === 'cell' || question.kind === 'cells') ? question.kind : null;
    const options = {
      theme,
      // In row-major order the number of an element is its address, which a question may ask for.
      numbered: Boolean(checked) || shows[at] !== 'tensor' || !isRowMajor(tensor),
      right: first && checked ? checked.marks.right : [],
      given: first && checked ? checked.marks.given : [],
      at: first && !checked ? question.at : null,
      picks: kind && PICKS[kind],
    };
    const title = grid === 'tensor' ? `Tensor ${tensor.shape.join(' × ')}` : `Memory${inLayout((checked ?? { tensors }).tensors[at])}`;
    const drawn = grid === 'tensor' ? planesOf(tensor, options) : memoryOf(tensor, options, places());
    return make('section', { class: grid }, [make('h2', {}, [title]), drawn]);
  }

  /** Memory as a wrong answer has it, with what it answers. */
  #believed() {
    const { lesson, checked, believed, theme } = this.session;
    const cause = checked?.misconception;
    if (!lesson || !cause?.believed || !believed) return [];
    const { kind } = lesson.question;
    const computed = [cause.computed].flat().map(Number);
    const given = kind === 'cell' ? [believed.addressOf(computed)] : kind === 'choice' ? [] : computed;
    const options = { theme, numbered: true, right: [], given, at: null, picks: null };
    const title = `Memory${inLayout(cause.believed)}, where your answer is right`;
    return [make('section', { class: 'believed' }, [make('h2', {}, [title]), memoryOf(believed, options, places())])];
  }

  /** Cells that are chosen get a ring. */
  #colour() {
    for (const input of this.querySelectorAll('input')) input.closest('td')?.classList.toggle('chosen', input.checked);
  }
});

/** Places in a row of memory. */
function places() {
  return matchMedia(NARROW).matches ? PHONE : WIDE;
}

/** @param {import('../../api/learn.js').LessonTensor} tensor */
function inLayout({ layout }) {
  if (layout === null) return '';
  return ` in ${typeof layout === 'string' ? layout : `strides ${layout.strides.join(', ')}`}`;
}

/** @param {Tensor} tensor */
function isRowMajor(tensor) {
  return Array.from({ length: tensor.elements }, (_, at) => at).every((at) => tensor.addressOf(tensor.coordsOf(at)) === at);
}

/**
 * Moves between cells by arrows, beyond an edge to the plane before or after, and chooses none by it.
 * @param {KeyboardEvent} event
 */
function move(event) {
  const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
  const cell = event.target instanceof HTMLInputElement ? event.target.closest('td') : null;
  const row = cell?.closest('tr');
  const plane = cell?.closest('table');
  if (!step || !cell || !row || !plane) return;
  event.preventDefault();
  const [down, right] = step;
  const here = inputsOf(plane);
  const [at, across] = [here.findIndex((cells) => cells.some((input) => cell.contains(input))), cell.cellIndex - 1];
  const within = here[at + down]?.[across + right];
  const neighbour = down + right > 0 ? plane.nextElementSibling : plane.previousElementSibling;
  const there = neighbour instanceof HTMLTableElement ? inputsOf(neighbour) : [];
  const beyond = down ? there.at(down > 0 ? 0 : -1)?.[across] : there[at]?.at(right > 0 ? 0 : -1);
  (within ?? beyond)?.focus();
}

/** @param {HTMLTableElement} plane @returns {HTMLInputElement[][]} the inputs of each row that has some */
function inputsOf(plane) {
  return [...plane.rows].map((row) => [...row.querySelectorAll('input')]).filter((inputs) => inputs.length > 0);
}
