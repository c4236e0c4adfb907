import { createTensor } from '../core/layout/tensor.js';
import { contains } from '../core/shape.js';
import { ApiProblem, describe, slice } from '../api/client.js';
import { lessonOf, nextLesson } from './lessons.js';
import { NO_VIEW } from './permalink.js';

/** @typedef {import('./types.js').PageState} PageState */
/** @typedef {import('../api/types.js').TensorFields} TensorFields */
/** @typedef {import('./types.js').Answer} Answer */
/** @typedef {import('./lessons.js').Lesson} Lesson */
/** @typedef {import('../api/types.js').Description} Description */
/** @typedef {import('../api/types.js').FieldProblem} FieldProblem */
/** @typedef {import('./types.js').LoadedValues} LoadedValues */
/** @typedef {import('./types.js').PointedCell} PointedCell */
/** @typedef {import('../api/types.js').SliceAnswer} SliceAnswer */
/** @typedef {import('../core/types.js').SliceDim} SliceDim */
/** @typedef {import('./types.js').Side} Side */
/** @typedef {import('../core/types.js').Tensor} Tensor */
/** @typedef {import('../core/types.js').Values} Values */
/** @typedef {import('./pasted.js').Taken} Taken */
/** @typedef {import('./pasted.js').Pasted} Pasted */
/** @typedef {import('../core/types.js').Theme} Theme */

/**
 * What listeners are told of: 'state', a changed field or view; 'restored', a whole state from the
 * browser's history or an example; 'answer', of the API; 'problem', its errors; 'cell', the cell under
 * the pointer; 'selected', the selected cell; 'gone', the cell that the reader went to; 'slice', the
 * answer to a slice; 'values', loaded values; 'theme'; 'side', whose facts are shown; 'lesson', what
 * the page teaches; 'pasted', the tensors of a pasted text.
 * @typedef {'state' | 'restored' | 'answer' | 'problem' | 'cell' | 'selected' | 'gone' | 'slice' | 'values' | 'theme' | 'side' | 'lesson' | 'pasted'} Topic
 *
 * How a change enters the browser's history: as a new entry, in place of the last one, or not at all.
 * @typedef {'push' | 'replace' | 'none'} Mark
 */

/** The state of the page, and its requests to the API. Elements read it and listen to its changes. */
export class Session {
  #events = new EventTarget();
  /** @type {Record<'a' | 'b' | 'slice', {key: string, stop: AbortController} | null>} */
  #asked = { a: null, b: null, slice: null };

  /** @type {Record<Side, Answer | null>} the last good answers */
  answers = { a: null, b: null };
  /** @type {Record<Side | 'slice', readonly FieldProblem[]>} */
  problems = { a: [], b: [], slice: [] };
  /** @type {SliceAnswer | null} */
  sliced = null;
  /** @type {LoadedValues | null} */
  loaded = null;
  /** @type {PointedCell | null} under the pointer; or reached by the keyboard, where no element lies */
  pointed = null;
  /** @type {PointedCell | null} the cell that the reader went to last */
  gone = null;
  /** Whether opening views show the selected cell in their middle, large enough to read: those of a link do. */
  centred = false;
  /** @type {Mark} how the last change enters the browser's history */
  mark = 'replace';
  /** @type {Pasted | null} the tensors of a pasted text */
  pasted = null;
  /** @type {Taken | null} */
  #taken = null;
  /** @type {Side} */
  #side = 'a';
  /** @type {Lesson | null} what the page teaches */
  lesson;
  #elementTypes;

  /**
   * @param {PageState} state
   * @param {Theme} theme
   * @param {ReadonlyMap<string, number>} elementTypes bits of each type, by the name of the API
   */
  constructor(state, theme, elementTypes) {
    this.state = state;
    this.lesson = lessonOf(state);
    this.theme = theme;
    this.#elementTypes = elementTypes;
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

  /**
   * Changes parts of the state, and asks the API again where needed.
   * @param {Partial<PageState>} changes
   * @param {Mark} [mark]
   */
  change(changes, mark = 'replace') {
    const next = { ...this.state, ...changes };
    // B is another layout of the same tensor: it shares everything else with A.
    if (next.b) next.b = Object.freeze({ ...next.a, layout: next.b.layout });
    this.state = Object.freeze(next);
    this.mark = mark;
    this.tell('state');
    this.ask();
    this.#teach();
  }

  /**
   * @param {PageState} state the whole of it, from the browser's history or an example
   * @param {Mark} mark
   */
  restore(state, mark) {
    this.pointed = null;
    this.lesson = lessonOf(state);
    this.centred = false;
    this.change(state, mark);
    this.tell('lesson');
    this.tell('restored');
    this.tell('cell');
  }

  /**
   * What was typed into the fields of one side.
   * @param {Side} side
   * @param {Partial<TensorFields>} fields
   * @param {Mark} [mark]
   */
  edit(side, fields, mark) {
    const { a, b, view } = this.state;
    if (side === 'b') {
      const other = fields.layout ? Object.freeze({ ...(b ?? a), ...fields }) : null;
      this.change({ b: other, view: Object.freeze({ ...view, memoryB: null }) }, mark);
      return;
    }
    // A new shape resets all views, a new layout that of the memory.
    const relaid = 'layout' in fields ? { ...view, memory: null } : view;
    const views = 'shape' in fields ? NO_VIEW : Object.freeze(relaid);
    this.change({ a: Object.freeze({ ...a, ...fields }), view: views }, mark);
  }

  /** What was taken from a text, as long as the fields have not changed since. */
  get taken() {
    return this.#taken?.after === this.state.a ? this.#taken : null;
  }

  /** @param {Taken} taken from a text; fills several fields in one step */
  take(taken) {
    this.#taken = taken;
    const b = taken.b ? taken.b.after : this.state.b;
    this.restore(Object.freeze({ ...this.state, a: taken.after, b, view: NO_VIEW }), 'push');
  }

  /** Restores the fields as they were before the last take. */
  untake() {
    const { taken } = this;
    if (!taken) return;
    // Undone is the paste itself, and with it the list of what it contained.
    if (taken === this.pasted?.opened) this.paste(null);
    const b = taken.b ? taken.b.before : this.state.b;
    this.restore(Object.freeze({ ...this.state, a: taken.before, b, view: NO_VIEW }), 'push');
  }

  /** @param {Pasted | null} pasted tensors to choose from, in place of those before; null: none */
  paste(pasted) {
    this.pasted = pasted;
    this.tell('pasted');
  }

  /** @returns {Side} whose facts are shown: B's only while there is a B */
  get side() {
    return this.answers.b ? this.#side : 'a';
  }

  set side(side) {
    this.#side = side;
    this.tell('side');
  }

  /** Sends the requests that the present state needs and that are not sent yet. */
  ask() {
    this.#askSide('a', this.state.a);
    this.#askSide('b', this.state.b);
    this.#askSlice(this.state.a);
  }

  /**
   * @param {PointedCell | null} cell
   * @param {'said' | 'silent'} [announce] whether screen readers announce it
   */
  point(cell, announce = 'silent') {
    if (cell === this.pointed) return;
    this.pointed = cell;
    this.tell('cell');
    if (announce === 'said') this.tell('selected');
  }

  /** @param {readonly number[] | null} coords */
  select(coords) {
    this.pointed = null;
    this.change({ selected: coords && Object.freeze([...coords]) });
    this.tell('cell');
    this.tell('selected');
  }

  /**
   * Goes to a cell: selects its element, or points at an address that has none; the grids show it in
   * their middle.
   * @param {PointedCell} cell
   */
  go(cell) {
    if (cell.coords) this.select(cell.coords);
    else this.point(cell, 'said');
    this.gone = cell;
    this.tell('gone');
  }

  /** @param {LoadedValues | null} loaded */
  load(loaded) {
    this.loaded = loaded;
    this.tell('values');
  }

  /** Whether both memories are shown with one row length, zoom and origin. */
  get inStep() {
    const { a, b } = this.answers;
    return Boolean(a?.tensor?.bufferElements && b?.tensor?.bufferElements) && !this.state.apart;
  }

  /** The selected coordinates; null where they lie outside the tensor on screen. */
  get selected() {
    const { selected } = this.state;
    const shape = this.answers.a?.tensor?.shape;
    if (!selected || shape?.length !== selected.length) return null;
    return contains(shape, selected) ? selected : null;
  }

  /**
   * The loaded values, where their shape is the tensor's.
   * @param {Tensor} tensor
   * @returns {Values | null}
   */
  valuesFor({ shape }) {
    return this.loaded && String(shape) === String(this.loaded.shape) ? this.loaded.values : null;
  }

  /**
   * What the slice takes along each dimension.
   * @param {Tensor} tensor
   * @returns {readonly SliceDim[] | null} null without a slice, and while the slice was answered for another rank
   */
  picksFor({ shape }) {
    const picks = this.sliced?.picks.filter(({ dim }) => dim !== null);
    return picks?.length === shape.length ? picks : null;
  }

  /**
   * @param {Side} side
   * @param {TensorFields | null} fields
   */
  async #askSide(side, fields) {
    const question = fields && { ...fields, slice: '' };
    const signal = this.#begin(side, question && JSON.stringify(question));
    if (!signal) return;
    if (!question) {
      this.answers[side] = null;
      this.problems[side] = [];
      this.tell('answer');
      this.tell('problem');
      return;
    }
    try {
      const description = await describe(question, signal);
      if (signal.aborted) return;
      this.answers[side] = answerOf(question, description, this.#elementTypes);
      this.problems[side] = [];
      this.tell('answer');
    } catch (error) {
      if (signal.aborted) return;
      this.#asked[side] = null;
      this.problems[side] = complaintsOf(error);
    }
    this.tell('problem');
    this.#teach();
  }

  #teach() {
    const lesson = nextLesson(this.lesson, this.state, this.answers);
    if (lesson?.preset === this.lesson?.preset && lesson?.stage === this.lesson?.stage) return;
    this.lesson = lesson;
    this.tell('lesson');
  }

  /** @param {TensorFields} fields */
  async #askSlice(fields) {
    const signal = this.#begin('slice', fields.slice.trim() && JSON.stringify(fields));
    if (!signal) return;
    this.sliced = null;
    this.problems.slice = [];
    if (fields.slice.trim()) {
      try {
        const answer = await slice(fields, signal);
        if (signal.aborted) return;
        this.sliced = answer;
      } catch (error) {
        if (signal.aborted) return;
        // Errors of the tensor itself are shown beside its own fields already.
        this.problems.slice = complaintsOf(error).filter(({ field }) => field === 'slice' || field === 'other');
      }
    }
    this.tell('slice');
    this.tell('problem');
  }

  /**
   * Cancels the open request and begins the next; null where the same one is open or answered.
   * @param {Side | 'slice'} part
   * @param {string | null} key
   */
  #begin(part, key) {
    if (this.#asked[part]?.key === (key ?? '')) return null;
    this.#asked[part]?.stop.abort();
    const stop = new AbortController();
    this.#asked[part] = { key: key ?? '', stop };
    return stop.signal;
  }
}

/**
 * @param {TensorFields} fields
 * @param {Description} description
 * @param {ReadonlyMap<string, number>} elementTypes
 * @returns {Answer}
 */
function answerOf(fields, description, elementTypes) {
  const itemsize_bits = elementTypes.get(description.dtype);
  if (itemsize_bits === undefined) {
    const message = `This page is older than the server and does not know ${description.dtype}: load it again.`;
    throw new ApiProblem([{ field: 'dtype', message, position: null }]);
  }
  const answer = { fields, description, itemsize_bits };
  try {
    return { ...answer, tensor: createTensor(description), undrawable: null };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...answer, tensor: null, undrawable: error.message };
  }
}

/** @param {unknown} error */
function complaintsOf(error) {
  if (error instanceof ApiProblem) return error.problems;
  throw error;
}
