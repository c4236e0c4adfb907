import { ApiProblem } from '../../api/client.js';
import { checked, lesson, lessons } from '../../api/learn.js';
import { formatPlace, LEVELS, mergeProgress } from './link.js';
import { tensorsOf } from './tensors.js';

/** @import { Place, Progress } from './link.js' */
/** @import { Lesson, LessonSummary, LessonAnswer, Checked } from '../../api/learn.js' */
/** @import { Tensor } from '../../core/types.js' */
/** @import { Mark } from '../session.js' */

/**
 * 'place': another lesson, level or seed; 'list': the lessons, or the progress; 'lesson': a question came, or went;
 * 'hint': a hint is shown; 'checked': an answer was checked; 'problem': the server refuses or does not answer; 'theme'.
 * @typedef {'place' | 'list' | 'lesson' | 'hint' | 'checked' | 'problem' | 'theme'} LearnTopic
 */

const SEEDS = 10_000;

/** The state of the page of lessons, and its requests to the API. */
export class LearnSession {
  #events = new EventTarget();
  #asking = new AbortController();

  /** @type {readonly LessonSummary[]} */
  list = [];
  /** @type {Lesson | null} */
  lesson = null;
  /** @type {readonly Tensor[]} those of the lesson */
  tensors = [];
  /** @type {Tensor | null} the first of them as a wrong answer has it */
  believed = null;
  /** @type {Checked | null} */
  checked = null;
  /** @type {LessonAnswer | null} what was answered; null: it was given up */
  given = null;
  /** How many hints are shown. */
  hints = 0;
  /** @type {LessonAnswer | null} the first answer, if it was wrong: the next one is told the right one */
  tried = null;
  /** @type {string | null} what the first wrong answer is told: its cause, or nothing; null: it was told, or there was none */
  cause = null;
  /** @type {readonly boolean[]} of each stride that was answered, whether it is right */
  fields = [];
  problem = '';
  /** @type {Mark} how the last change enters the browser's history */
  mark = 'replace';

  /**
   * @param {Place} place
   * @param {Progress} progress
   * @param {import('../../core/types.js').Theme} theme
   */
  constructor(place, progress, theme) {
    this.place = place;
    this.progress = progress;
    this.theme = theme;
  }

  /**
   * @param {LearnTopic | LearnTopic[]} topics
   * @param {() => void} listener
   * @param {AbortSignal} signal removes the listener
   */
  on(topics, listener, signal) {
    for (const topic of [topics].flat()) this.#events.addEventListener(topic, listener, { signal });
  }

  /** @param {LearnTopic} topic */
  tell(topic) {
    this.#events.dispatchEvent(new Event(topic));
  }

  /** Whether a teacher's link fixes lessons and numbers. */
  get fixed() {
    return this.place.order.length > 0;
  }

  /** @returns {readonly LessonSummary[]} those to do, in their order */
  get course() {
    const { order } = this.place;
    if (order.length === 0) return this.list;
    return order.flatMap((id) => this.list.filter((each) => each.id === id));
  }

  /** The place of the present lesson in the course, from 0; -1 for none. */
  get at() {
    return this.course.findIndex(({ id }) => id === this.place.id);
  }

  /** @param {number} step 1: the next lesson of the course, -1: the one before */
  neighbour(step) {
    return this.at < 0 ? null : (this.course[this.at + step] ?? null);
  }

  /** @param {string} id @param {number} level */
  isDone(id, level) {
    return Boolean(((this.progress[id] ?? 0) >> (level - 1)) & 1);
  }

  /** Loads the list of lessons, then the present one. */
  async begin() {
    await this.#try(async (signal) => {
      this.list = (await lessons(signal)).lessons;
      this.tell('list');
    });
    await this.load();
  }

  /**
   * Goes to a lesson, a level or other numbers.
   * @param {Partial<Place>} to
   * @param {Mark} [mark]
   */
  go(to, mark = 'push') {
    const seed = this.fixed ? this.place.seed : null;
    this.place = Object.freeze({ ...this.place, level: 1, seed, ...to });
    this.mark = mark;
    void this.load();
  }

  /** Asks for the question of the present place. A seed that is not given is drawn. */
  async load() {
    this.lesson = this.checked = null;
    this.hints = 0;
    this.tried = null;
    this.cause = null;
    this.fields = [];
    const { id, level } = this.place;
    const seed = this.place.seed ?? Math.floor(Math.random() * SEEDS);
    if (id) this.place = Object.freeze({ ...this.place, seed });
    this.tell('place');
    this.tell('lesson');
    if (!id) return;
    await this.#try(async (signal) => {
      const found = await lesson(id, { seed, level }, signal);
      this.tensors = await tensorsOf(found.tensors, found.question.memory, signal);
      this.lesson = found;
      this.tell('lesson');
    });
  }

  /**
   * Checks an answer. After the first wrong one there is a hint and a second try.
   * @param {LessonAnswer | null} answer null gives up
   */
  async answer(answer) {
    const asked = this.lesson;
    if (!asked || this.checked) return;
    this.#forget();
    await this.#try(async (signal) => {
      const found = await checked(asked, answer, signal);
      const { kind } = asked.question;
      if (kind === 'strides' && Array.isArray(answer)) this.fields = [found.expected].flat().map((stride, at) => stride === answer[at]);
      if (!found.right && answer !== null && this.tried === null) {
        // What no model gives is led by the first field that is wrong, not by a hint that may be about another.
        const led = kind === 'strides' && !found.misconception ? found.landing : null;
        this.tried = answer;
        this.cause = found.misconception?.text ?? found.landing ?? '';
        this.hint(led ? 0 : 1);
        return;
      }
      const believed = found.misconception?.believed;
      const [[first = null], told] = await Promise.all([
        tensorsOf(believed ? [believed] : [], null, signal),
        asked.tensors.some(({ layout }) => layout === null) ? tensorsOf(found.tensors, null, signal) : this.tensors,
      ]);
      this.believed = first;
      this.tensors = told;
      this.checked = found;
      this.given = answer;
      if (this.checked.right) this.note({ [asked.id]: 1 << (asked.level - 1) });
      this.tell('checked');
    });
  }

  /** @param {Progress} done beside what was done before */
  note(done) {
    this.progress = mergeProgress(this.progress, done);
    this.tell('list');
  }

  /**
   * Says of what was entered that it is no answer.
   * @param {string} why
   */
  refuse(why) {
    this.#forget();
    this.problem = why;
    this.tell('problem');
  }

  /** Takes back what the answer before was told. */
  #forget() {
    this.cause = null;
    this.fields = [];
    this.problem = '';
    this.hint(0);
    this.tell('problem');
  }

  /** Shows more hints, by default one. */
  hint(more = 1) {
    this.hints = Math.min(this.hints + more, this.lesson?.hints.length ?? 0);
    this.tell('hint');
  }

  /** @returns {Partial<Place> | null} what comes after this question; null after the last one */
  get following() {
    const { id, level } = this.place;
    if (level < LEVELS) return { id, level: level + 1 };
    const next = this.neighbour(1);
    return next && { id: next.id, level: 1 };
  }

  /** @param {Partial<Place>} to @returns {string} the link there, with numbers to be drawn */
  linkTo(to) {
    return formatPlace({ ...this.place, level: 1, seed: this.fixed ? this.place.seed : null, ...to });
  }

  /** @param {(signal: AbortSignal) => Promise<void>} work */
  async #try(work) {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.problem = '';
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      this.problem = error.away ? 'The server does not answer. Try again.' : error.problems[0].message;
    }
    this.tell('problem');
  }
}
