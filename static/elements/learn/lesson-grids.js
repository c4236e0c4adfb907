import { planesInRow } from '../../core/grid/planes.js';
import { watchSize } from '../shared/frame.js';
import { NARROW } from '../shared/page/root.js';
import { gridOf, isNumbered, mark, ROW } from '../shared/learn/grids.js';
import { find, LearnPart, make } from '../shared/part.js';

/** @import { Tensor } from '../../core/types.js' */

/** The least and the largest size of a cell, in steps of a pixel where a rem has its usual 16. */
const WIDE_STEPS = [28, 72];
const PHONE_STEPS = [19, 40];
/** The size of a cell on a phone below which memory had rather begin below the first screen. */
const PHONE_ENOUGH = 26;
const STEP_REM = 1 / 16;
/** What a plane takes beside its cells, and a row of planes beside them: names of rows, gaps. A caption may be wider than the cells. */
const WIDE_BESIDE = [44, 16];
const PHONE_BESIDE = [6, 28];
const CAPTION = 46;
/** Ways to arrange the planes of an image: in so many rows where there is room, of whole blocks; or of what there is room for. */
const WAYS = Object.freeze([{ rows: 1, whole: true }, { rows: 2, whole: true }, { rows: 3, whole: true }, { rows: 1, whole: false }]);
const BOTH = /** @type {const} */ (['tensor', 'memory']);
const PICKS = Object.freeze({ cell: 'radio', cells: 'checkbox' });
const STEPS = Object.freeze({ ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] });

/** The tensors of a question: with `part="given"` what is shown before the answer, else what the answer reveals. */
customElements.define('lesson-grids', class LessonGrids extends LearnPart {
  /** How the planes stand, while the question stays; null until that is chosen. @type {typeof WAYS[number] | null} */
  #way = null;
  #width_css = 0;

  /** @override */
  start() {
    const draw = () => this.#draw();
    const anew = () => {
      this.#way = null;
      draw();
    };
    this.when('lesson', anew);
    this.when(['checked', 'theme'], draw);
    this.listen(matchMedia(NARROW), 'change', anew);
    // The last part to be drawn sees all of them.
    if (this.getAttribute('part') !== 'given') {
      watchSize(['.stage', 'lesson-answer'].map((each) => find(document.body, each, HTMLElement)), () => this.#grow(), this.signal);
      this.listen(window, 'resize', () => this.#grow());
    }
    this.listen(this, 'keydown', (event) => this.#move(event));
    this.when('hint', () => this.#cross());
    for (const type of /** @type {const} */ (['pointerover', 'pointerleave'])) this.listen(this, type, ({ target }) => light(target));
  }

  #draw() {
    const { lesson, tensors, checked } = this.session;
    const revealed = this.getAttribute('part') !== 'given';
    const sections = (lesson && (!revealed || checked) ? tensors : []).flatMap((tensor, at) => {
      const shows = lesson?.shows[at] ?? 'both';
      const before = shows === 'both' ? BOTH : BOTH.filter((each) => each === shows);
      const after = at === 0 ? BOTH : shows === 'after' ? BOTH.slice(0, 1) : shows === 'memory_after' ? BOTH.slice(1) : [];
      const shown = revealed ? after.filter((each) => !before.includes(each)) : before;
      return shown.map((grid) => this.#section(tensor, at, grid));
    });
    if (lesson && tensors[0] && revealed && !checked && isCovered(lesson, tensors[0])) sections.push(covered(tensors[0], this.session.theme));
    const believed = revealed ? this.#believed() : [];
    // It stands beside the right memory, which is above the question or the first of these.
    this.replaceChildren(...(lesson?.shows[0] === 'tensor' ? [...sections, ...believed] : [...believed, ...sections]));
    this.classList.toggle('awaited', revealed && !checked && lesson?.shows[0] !== 'both');
    if (revealed) this.#grow();
  }

  /** Arranges the planes so, and makes the cells as large, as the first screen has room for; help and answers change neither, and have what room is left. */
  #grow() {
    const { lesson, cause, checked, hints } = this.session;
    if (!lesson) return;
    const stage = find(document.body, '.stage', HTMLElement);
    const narrow = matchMedia(NARROW).matches;
    const stays = this.#way !== null && this.#width_css === innerWidth;
    if (!stays) {
      this.#way = WAYS[0];
      let known = 0;
      for (const way of WAYS) {
        arrange(stage, way, narrow);
        const steps = grow(stage, narrow, { known });
        if (steps > known) [this.#way, known] = [way, steps];
      }
      this.style.removeProperty('--grown');
    }
    arrange(stage, this.#way ?? WAYS[0], narrow);
    if (!stays || !(checked || cause !== null || hints > 0)) grow(stage, narrow);
    else if (checked) grow(stage, narrow, { part: this });
    this.#width_css = innerWidth; // last: a phone shows a page that is too wide smaller
  }

  /**
   * @param {Tensor} tensor
   * @param {number} at
   * @param {'tensor' | 'memory'} grid
   */
  #section(tensor, at, grid) {
    const { lesson, checked, theme, tensors: [whole] } = this.session;
    if (!lesson) return '';
    const { question, shows, tensors } = lesson;
    const first = at === 0;
    const view = !first && shows[at] === 'after';
    const { right, given } = checked?.marks ?? { right: [], given: [] };
    const kind = first && !checked && (question.kind === 'cell' || question.kind === 'cells') ? question.kind : null;
    const options = {
      theme,
      numbered: Boolean(checked) || isNumbered(tensor, shows, at),
      // Another tensor has the same elements elsewhere, a view has them where they are.
      right: first || view ? right : right.flatMap((address) => tensor.addressOf(whole.ownerOf(address).coords ?? [])),
      given: first || view ? given : [],
      at: first ? question.at : null,
      picks: kind && PICKS[kind],
      line: question.line,
      ...(view ? { of: whole } : {}),
    };
    const name = view ? 'y, a view:' : shows.includes('after', 1) ? 'x:' : 'Tensor';
    const sizes = `${tensor.dims.join(', ').toLowerCase()} = ${tensor.shape.join(' × ')}`;
    const title = grid === 'tensor' ? `${name} ${sizes}` : `Memory${shows[at] === 'memory_after' ? ' afterwards,' : ''}${inLayout((checked ?? { tensors }).tensors[at])}`;
    return make('section', { class: first || view ? grid : 'other' }, [make('h2', {}, [title]), ...gridOf(grid, tensor, options, ROW)]);
  }

  /** Memory as a wrong answer has it, with what it answers. */
  #believed() {
    const { lesson, checked, believed, theme } = this.session;
    const cause = checked?.misconception;
    if (!lesson || !cause?.believed || !believed) return [];
    const { kind } = lesson.question;
    const computed = [cause.computed].flat().map(Number);
    const given = kind === 'cell' ? [believed.addressOf(computed)] : kind === 'choice' ? [] : computed;
    const options = { theme, numbered: true, right: [], given, at: null, picks: null, line: null };
    const title = `Memory${inLayout(cause.believed)}, where your answer is right`;
    return [make('section', { class: 'believed' }, [make('h2', {}, [title]), ...gridOf('memory', believed, options, ROW)])];
  }

  /** The cell that was tried and is wrong gets a cross. */
  #cross() {
    const tried = this.querySelector(`td:not(.given)[data-at="${this.session.tried}"]:has([type="radio"])`);
    if (tried instanceof HTMLElement) mark(tried, 'given');
  }

  /**
   * Moves between cells by arrows, beyond an edge to the plane before or after, and chooses none by it.
   * @param {KeyboardEvent} event
   */
  #move(event) {
    const input = event.target;
    if (!(input instanceof HTMLInputElement)) return;
    // Enter sends the form, with the only cell that can be meant.
    if (event.key === 'Enter' && input.type === 'radio') input.checked = true;
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    const plane = input.closest('table');
    if (!step || !plane) return;
    event.preventDefault();
    const [down, right] = step;
    // Row by row: the first one of a plane follows the last one of the plane before.
    const inputs = [...this.querySelectorAll('input')];
    const columns = plane.rows[0].cells.length - 1;
    const at = inputs.indexOf(input);
    const across = (at % columns) + right;
    const beyond = across < 0 || across === columns ? right * (plane.querySelectorAll('input').length - columns) : 0;
    inputs[at + down * columns + right + beyond]?.focus();
  }
});

/**
 * Gives each image rows of its own; on a phone only the first plane of a row has coordinates at its edges.
 * @param {HTMLElement} stage
 * @param {typeof WAYS[number]} way
 * @param {boolean} narrow
 */
function arrange(stage, { rows, whole }, narrow) {
  const [[least], [beside, around]] = narrow ? [PHONE_STEPS, PHONE_BESIDE] : [WIDE_STEPS, WIDE_BESIDE];
  for (const planes of stage.querySelectorAll('.planes')) {
    if (!(planes instanceof HTMLElement)) continue;
    const [image, block, columns] = ['image', 'block', 'columns'].map((name) => Number(planes.dataset[name]));
    const room = (planes.closest('lesson-grids')?.clientWidth ?? 0) - around;
    const fit = Math.floor(room / (Math.max(columns * (least + 1), CAPTION) + beside)) || 1;
    const row = planesInRow({ planes: image, block: whole ? block : 1, fit: Math.min(fit, Math.ceil(image / rows)) });
    planes.style.setProperty('--planes', String(row));
    for (const [at, plane] of [...planes.children].entries()) {
      const within = at % image;
      plane.classList.toggle('image', within === 0);
      plane.classList.toggle('begins', within % row === 0);
      plane.classList.toggle('below', at >= row);
      plane.classList.toggle('block', whole && block > 1 && within % row > 0 && within % block === 0);
    }
  }
}

/**
 * Makes the cells as large as the first screen has room for.
 * @param {HTMLElement} stage
 * @param {boolean} narrow
 * @param {{part?: HTMLElement, known?: number}} [of] part: whose cells, of all, or of the grids of an answer, which are no larger
 *   than those before it; known: a size that is there already, so that none below it is of use
 * @returns {number} their size in steps; 0 where even the smallest have no room
 */
function grow(stage, narrow, { part = stage, known = 0 } = {}) {
  const room = narrow ? document.documentElement : stage;
  const grids = [...stage.querySelectorAll('lesson-grids')];
  // On a phone, and where they are too many, the grids of an answer are seen by scrolling.
  let below = narrow && part !== stage;
  const set = (/** @type {number} */ steps) => part.style.setProperty('--grown', `${steps * STEP_REM}rem`);
  const present = Math.round(parseFloat(part.style.getPropertyValue('--grown')) / STEP_REM);
  const fits = (/** @type {number} */ steps) => {
    set(steps);
    return (below || room.scrollHeight <= room.clientHeight) && [room, ...grids].every((each) => each.scrollWidth <= each.clientWidth);
  };
  let [least, most] = narrow ? PHONE_STEPS : WIDE_STEPS;
  if (part !== stage) most = Math.max(least, Math.round(parseFloat(stage.style.getPropertyValue('--grown')) / STEP_REM));
  if (part !== stage && !fits(least)) below = true;
  const memory = stage.querySelector('.covered');
  if (narrow && memory) {
    memory.classList.remove('left-out');
    memory.classList.toggle('left-out', !fits(PHONE_ENOUGH));
  }
  least = Math.max(least, known);
  // Each try lays the page out anew, and most often the size stays.
  const first = present ? [present + 1, present] : [];
  while (least < most) {
    const middle = Math.min(Math.max(first.shift() ?? Math.ceil((least + most) / 2), least + 1), most);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  const enough = fits(least);
  // Memory for which there is no room begins below the first screen.
  memory?.classList.remove('left-out');
  return enough ? least : 0;
}

/**
 * Whether the question is about places in memory, whose number does not tell the answer as it does where elements share them.
 * @param {import('../../api/learn.js').Lesson} lesson
 * @param {Tensor} tensor
 */
function isCovered({ question: { kind, unit }, shows: [first] }, tensor) {
  return first === 'tensor' && (kind === 'cell' || unit === 'address') && tensor.bufferElements >= tensor.elements;
}

/**
 * The memory that the answer will show, with its addresses alone.
 * @param {Tensor} tensor
 * @param {import('../../core/types.js').Theme} theme
 */
function covered(tensor, theme) {
  const options = { theme, numbered: false, right: [], given: [], at: null, picks: null, line: null, covered: true };
  return make('section', { class: 'covered', 'aria-hidden': 'true' }, [make('h2', {}, ['Memory']), ...gridOf('memory', tensor, options, ROW)]);
}

/**
 * Lights what is at the address under the pointer, in every grid of the first tensor.
 * @param {EventTarget | null} target
 */
function light(target) {
  const cell = target instanceof Element ? target.closest('section:is(.tensor, .memory) td') : null;
  const address = cell?.getAttribute('data-address');
  for (const each of document.querySelectorAll('section:is(.tensor, .memory) td[data-address]')) {
    each.classList.toggle('lit', each.getAttribute('data-address') === address);
  }
}

/** @param {import('../../api/learn.js').LessonTensor} tensor */
function inLayout({ layout }) {
  if (layout === null) return '';
  return typeof layout === 'string' ? ` in ${layout}` : ` with strides ${layout.strides.join(', ')}`;
}
