import { ApiProblem } from '../../api/client.js';
import { schedule } from '../../api/schedule.js';
import { cacheLine } from '../../core/bytes.js';
import { createInverse } from '../../core/schedule/inverse.js';
import { LineCount, windowAt } from '../../core/schedule/lines.js';
import { createRows } from '../../core/schedule/rows.js';
import { createSchedule } from '../../core/schedule/steps.js';
import { isAnswer } from '../answers.js';
import { stateOfPreset } from './presets.js';

/** @import { Session } from '../session.js' */
/** @import { Answer } from '../types.js' */
/** @import { Moment, Ready } from './types.js' */

/**
 * What listeners are told of: 'plan', another reorder or the reason why there is none; 'step', another
 * moment; 'count', cache lines were counted; 'play', the player has started or stopped.
 * @typedef {'plan' | 'step' | 'count' | 'play'} Topic
 */

/** The most addresses in a row on a phone, where all of a line would leave no room for its cells. */
const MOST_NARROW = 16;
const SLICE_STEPS = 1024;
const SLICE_MS = 4;

/** The reorder on the page: the plan of the fields' two layouts, and the present step. */
export class ReorderSession {
  #events = new EventTarget();
  #stop = new AbortController();
  #asked = '';
  /** What was asked for the plan on screen. */
  #shown = '';
  #timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** The step to go to when the plan is there. */
  #wish = 0;

  /** @type {Ready | null} */
  ready = null;
  /** Why there is no reorder; empty where there is one. */
  problem = '';
  /** Whether the plan on screen is not that of the fields. */
  stale = true;
  /** @type {Moment} */
  moment = Object.freeze({ step: 0, part: 1 });
  /** @type {LineCount | null} */
  count = null;
  playing = false;
  /** Whether the window is narrow. */
  narrow = false;

  /**
   * @param {Session} fields
   * @param {number} step to begin with
   * @param {AbortSignal} signal ends all requests
   */
  constructor(fields, step, signal) {
    this.fields = fields;
    this.#wish = step;
    fields.on(['answer', 'problem', 'state'], () => this.#ask(), signal);
    signal.addEventListener('abort', () => {
      this.#stop.abort();
      clearTimeout(this.#timer);
    });
  }

  /**
   * @param {Topic | Topic[]} topics
   * @param {() => void} listener
   * @param {AbortSignal} signal removes the listener
   */
  on(topics, listener, signal) {
    for (const topic of [topics].flat()) this.#events.addEventListener(topic, listener, { signal });
  }

  /** @param {Topic} topic */
  tell(topic) {
    this.#events.dispatchEvent(new Event(topic));
  }

  /** The last step that is done: at rest the present one, on its way the one before. */
  get done() {
    const { step, part } = this.moment;
    return part >= 1 ? step : step - 1;
  }

  /**
   * What the present step reads or writes.
   * @param {'a' | 'b'} side
   * @returns {number | null} the first address; null where it reads none
   */
  addressIn(side) {
    const { ready } = this;
    if (!ready || ready.schedule.steps === 0) return null;
    const { source_address, target_address } = ready.schedule.stepAt(this.moment.step);
    return side === 'a' ? source_address : target_address;
  }

  /** @param {Moment} moment */
  go({ step, part }) {
    const last = Math.max(0, (this.ready?.schedule.steps ?? 0) - 1);
    this.moment = Object.freeze({ step: Math.min(Math.max(0, step), last), part });
    this.#count();
    this.tell('step');
  }

  /** @param {number} step to go to once the plan of the new fields is there */
  wish(step) {
    this.#wish = step;
  }

  /**
   * Shows an example.
   * @param {import('./presets.js').ReorderPreset} preset
   */
  open(preset) {
    this.wish(preset.step);
    this.fields.restore(stateOfPreset(preset, this.fields.state), 'push');
  }

  /** Reorders the other way. */
  exchange() {
    const { state } = this.fields;
    if (!state.b) return;
    const a = Object.freeze({ ...state.a, layout: state.b.layout });
    this.fields.restore(Object.freeze({ ...state, a, b: Object.freeze({ ...a, layout: state.a.layout }) }), 'push');
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    this.tell('play');
  }

  async #ask() {
    const { state, answers } = this.fields;
    const { a, b } = answers;
    if (!state.b) {
      this.#asked = '';
      this.#refuse('Type the layout to reorder to, as B.');
      return;
    }
    if (!a || !b || !isAnswer(a, state.a) || !isAnswer(b, state.b)) {
      this.#old();
      return;
    }
    const key = JSON.stringify([state.a, state.b]);
    if (key === this.#asked) {
      this.#fresh(key);
      return;
    }
    this.#asked = key;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    try {
      const found = await schedule(state.a, state.b.layout, signal);
      if (signal.aborted) return;
      this.#show(a, b, createSchedule(found));
      this.#shown = key;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiProblem) {
        if (error.away) this.#asked = '';
        this.#refuse(`No reorder: ${error.problems.map(({ message }) => message).join('; ')}`);
      } else if (error instanceof RangeError) {
        this.#refuse(error.message);
      } else {
        throw error;
      }
    }
  }

  #old() {
    if (this.stale) return;
    this.stale = true;
    this.tell('plan');
  }

  /**
   * The fields were changed, and changed back.
   * @param {string} key
   */
  #fresh(key) {
    if (!this.stale || key !== this.#shown) return;
    this.stale = false;
    this.problem = '';
    this.tell('plan');
  }

  /** @param {string} problem */
  #refuse(problem) {
    if (this.stale && problem === this.problem) return;
    this.stale = true;
    this.problem = problem;
    this.tell('plan');
  }

  /**
   * @param {Answer} a
   * @param {Answer} b
   * @param {import('../../core/schedule/types.js').Schedule} found
   */
  #show(a, b, found) {
    if (!a.tensor || !b.tensor) {
      this.#refuse(a.undrawable ?? b.undrawable ?? '');
      return;
    }
    const tensors = { a: a.tensor, b: b.tensor };
    const { itemsize_bits } = a;
    const line_elems = cacheLine(itemsize_bits);
    const rowLength_elems = this.narrow ? Math.min(line_elems, MOST_NARROW) : line_elems;
    const inverse = createInverse(found, a.tensor, b.tensor);
    const rowsOf = (/** @type {number} */ length) =>
      inverse && {
        a: tensors.a.shares ? null : createRows(inverse.reading, length, tensors.a.bufferElements),
        b: createRows(inverse.writing, length, tensors.b.bufferElements),
      };
    this.ready = Object.freeze({
      answers: { a, b },
      tensors,
      schedule: found,
      itemsize_bits,
      rowLength_elems,
      line_elems,
      rows: rowsOf(rowLength_elems),
      lines: rowsOf(line_elems),
      stepOf: inverse && { a: inverse.reading, b: inverse.writing },
    });
    this.problem = '';
    this.stale = false;
    this.count = null;
    this.moment = Object.freeze({ step: Math.min(this.#wish, Math.max(0, found.steps - 1)), part: 1 });
    this.#wish = 0;
    this.#count();
    this.tell('plan');
    this.tell('step');
  }

  /** Counts the lines of the present window, the first slice at once, the others between frames. */
  #count() {
    const { ready } = this;
    if (!ready) return;
    const window = windowAt(ready.schedule, this.moment.step);
    if (this.count?.window.from !== window.from || this.count.window.to !== window.to) {
      clearTimeout(this.#timer);
      const sizes = { source: ready.tensors.a.bufferElements, target: ready.tensors.b.bufferElements };
      this.count = new LineCount(ready.schedule, window, sizes);
      this.#slice();
    }
  }

  #slice() {
    const { count } = this;
    if (!count) return;
    const end_ms = performance.now() + SLICE_MS;
    while (!count.done && performance.now() < end_ms) count.advance(SLICE_STEPS);
    if (!count.done) this.#timer = setTimeout(() => this.#slice(), 0);
    this.tell('count');
  }
}
