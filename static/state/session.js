import { elementAt } from '../core/layout/same-memory.js';
import { alignedCoords, contains } from '../core/shape.js';
import { isAnswer } from './answers.js';
import { Judgement } from './judgement.js';
import { withoutPicture } from './pasted.js';
import { stateOf } from './presets.js';
import { nextStory, storyOf } from './story.js';
import { NO_VIEW } from './permalink.js';
import { Questions } from './questions.js';
import { Typing } from './typing.js';

/** @import { PageState, LoadedValues, PointedCell, Side } from './types.js' */
/** @import { TensorFields } from '../api/types.js' */
/** @import { Story } from './story.js' */
/** @import { SliceDim, Tensor, Values, Theme } from '../core/types.js' */
/** @import { Taken, Pasted } from './pasted.js' */
/** @import { TypedField } from './typing.js' */

/**
 * What listeners are told of: 'state', a changed field or view; 'display', a change of what the grids draw besides
 * the fields, whose drawing follows the answer; 'rows', other rows of memory; 'restored', a whole state from the
 * browser's history or an example; 'answer', of the API; 'problem', the errors that are shown, what is
 * half typed or what is stale; 'rest', a pause in the typing; 'cell', the cell under the pointer;
 * 'selected', the selected cell; 'gone', the cell that the reader went to; 'slice', the answer to a
 * slice; 'values', loaded values; 'theme'; 'story', what the page tells;
 * 'pasted', the tensors of a pasted text; 'walk', a step of a walk, or that it plays or pauses; 'cost', what was counted.
 * @typedef {'state' | 'display' | 'rows' | 'restored' | 'answer' | 'problem' | 'rest' | 'cell' | 'selected' | 'gone' | 'slice' | 'values' | 'theme' | 'story' | 'pasted' | 'walk' | 'cost'} Topic
 *
 * How a change enters the browser's history: as a new entry, in place of the last one, or not at all.
 * @typedef {'push' | 'replace' | 'none'} Mark
 */

/** Of a taken tensor where no cell was chosen: the address of the first element is no sum. */
const SECOND = Object.freeze([1]);

/** The state of the page, and its requests to the API. Elements read it and listen to its changes. */
export class Session {
  #events = new EventTarget();
  #typing = new Typing(() => this.#rest());

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
  /** The last B that came from a pasted text, whose tensor it belongs to; and one that the next text took away. */
  #beside = { pasted: '', removed: /** @type {PageState['b']} */ (null) };
  /** @type {number | null} the address to select when the views of edited steps are known */
  #held = null;
  /** @type {Story | null} what the page tells */
  story;
  #questions;
  #judgement;

  /**
   * @param {PageState} state
   * @param {Theme} theme
   * @param {ReadonlyMap<string, number>} elementTypes bits of each type, by the name of the API
   */
  constructor(state, theme, elementTypes) {
    this.state = state;
    this.story = storyOf(state);
    this.theme = theme;
    this.#questions = new Questions(elementTypes, (what) => {
      if (what !== 'other') this.tell(what);
      this.#reselect();
      this.#judge();
    });
    this.#judgement = new Judgement(this.#typing, this.#questions, elementTypes);
  }

  /** The errors on the page. */
  get problems() {
    return this.#judgement.problems;
  }

  /** The field that is being typed into, where its text is a beginning; null where there is none. */
  get halfTyped() {
    return this.#judgement.halfTyped;
  }

  /** Whether the last good answer of each side is not to the present fields, and these are no beginning of others. */
  get stale() {
    return this.#judgement.stale;
  }

  /** The last good answers. */
  get answers() {
    return this.#questions.answers;
  }

  /** The answer to the slice, null while there is none. */
  get sliced() {
    return this.#questions.sliced;
  }

  /** What the slice takes: as answered; as read from its text while the answer is awaited. */
  get picks() {
    return this.#questions.picks;
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
    // B is another layout of the same tensor: it shares everything else with A, but keeps the type that a text gave it.
    const { dtype } = next.a.dtype === this.state.a.dtype && next.b ? next.b : next.a;
    if (next.b) next.b = Object.freeze({ ...next.a, layout: next.b.layout, dtype });
    const display = Object.entries(this.state).some(([key, was]) => key !== 'a' && key !== 'b' && next[/** @type {keyof PageState} */ (key)] !== was);
    const rows = next.rowLength !== this.state.rowLength || next.apart !== this.state.apart;
    this.state = Object.freeze(next);
    this.mark = mark;
    this.ask(); // first: the server works while the page shows what it knows
    this.tell('state');
    if (display) this.tell('display');
    if (rows) this.tell('rows');
    this.#judge();
  }

  /**
   * Opens an example. Who reads the code of one wants to read that of the next. @param {import('./presets.js').Preset} preset
   */
  open(preset) {
    this.restore(Object.freeze({ ...stateOf(preset), tab: this.state.tab }), 'push');
  }

  /**
   * @param {PageState} state the whole of it, from the browser's history or an example
   * @param {Mark} mark
   */
  restore(state, mark) {
    this.pointed = null;
    this.#held = null;
    this.#typing.end();
    this.story = storyOf(state);
    this.centred = false;
    this.change(state, mark);
    this.tell('story');
    this.tell('restored');
    this.tell('cell');
  }

  /**
   * A key was typed into a field.
   * @param {TypedField} field
   * @param {string} text the whole of it
   * @param {Mark} mark
   */
  type({ side, name }, text, mark) {
    const right = Object.values(this.#questions.found).every((problems) => problems.length === 0);
    this.#typing.key({ side, name }, right);
    if (text !== this.state[side]?.[name]) this.edit(side, { [name]: text }, mark);
  }

  /** The field that was typed into was left, or finished with Enter. */
  leave() {
    this.#typing.leave();
  }

  /** Whether nobody types. */
  get resting() {
    return this.#typing.resting;
  }

  /** The named formats, asked for once; null where the server does not answer. */
  catalogue() {
    return this.#questions.catalogue();
  }

  /**
   * Changes the fields of one side.
   * @param {Side} side
   * @param {Partial<TensorFields>} fields
   * @param {Mark} [mark]
   */
  edit(side, fields, mark) {
    const { a, b, view, rowLength } = this.state;
    this.pointed = null; // its address is one of the layout before
    if (side === 'b') {
      const other = fields.layout ? Object.freeze({ ...(b ?? a), ...fields }) : null;
      this.change({ b: other, view: Object.freeze({ ...view, memoryB: null }), show: '' }, mark);
      return;
    }
    // What is typed shows in the grids. A new shape resets all views, a new layout that of the memory.
    const relaid = 'layout' in fields && view.memory ? { ...view, memory: null } : view;
    const views = 'shape' in fields ? NO_VIEW : Object.freeze('steps' in fields && view.logical ? { ...relaid, logical: null } : relaid);
    if ('steps' in fields) this.#held ??= this.selected && (this.answers.a?.tensor?.addressOf(this.selected) ?? null);
    // A number of addresses was chosen for the sizes of before.
    const row = 'shape' in fields && typeof rowLength === 'number' ? 'auto' : rowLength;
    this.change({ a: Object.freeze({ ...a, ...fields }), view: views, rowLength: row, show: '' }, mark);
  }

  /** Selects the element of a new view at the address that was selected: steps move nothing in memory. */
  #reselect() {
    const address = this.#held;
    const { a } = this.answers;
    if (address === null || !isAnswer(a, this.state.a)) return;
    this.#held = null;
    const coords = a.tensor && elementAt(a.tensor, address);
    if (coords) this.select(coords);
  }

  /** Where the tensor on screen does not have the selected cell, one that it has is selected: a link says it. */
  #keepSelected() {
    const { a, selected } = this.state;
    const answer = this.answers.a;
    if (!selected || this.selected || !isAnswer(answer, a) || !answer.tensor) return;
    const { elements, shape } = answer.tensor;
    this.select(elements > 0 ? alignedCoords(shape, selected) : null);
  }

  /** What was taken from a text, as long as the fields have not changed since. */
  get taken() {
    return this.#taken?.after === this.state.a ? this.#taken : null;
  }

  /** @param {Taken} taken from a text; fills several fields in one step */
  take(taken) {
    this.#taken = taken;
    const { before, after } = taken;
    const other = before.shape !== after.shape || before.layout !== after.layout;
    const removed = !taken.b && other && this.state.b?.layout === this.#beside.pasted ? this.state.b : null;
    const b = taken.b ? taken.b.after : removed ? null : this.state.b;
    this.#beside = { pasted: taken.b?.after?.layout ?? (b ? this.#beside.pasted : ''), removed };
    const selected = this.state.selected ?? SECOND;
    this.restore(Object.freeze({ ...this.state, a: taken.after, b, view: NO_VIEW, selected, show: '' }), 'push');
    this.centred = true; // as a link to it opens
  }

  /** Restores the fields as they were before the last take. */
  untake() {
    const { taken } = this;
    if (!taken) return;
    // Undone is the paste itself, and with it the list of what it contained.
    if (taken === this.pasted?.opened) this.paste(null);
    const { removed } = this.#beside;
    const b = taken.b ? taken.b.before : (this.state.b ?? removed);
    if (removed) this.#beside.pasted = removed.layout;
    this.restore(Object.freeze({ ...this.state, a: taken.before, b, view: NO_VIEW }), 'push');
  }

  /**
   * @param {Pasted | null} pasted tensors to choose from, in place of those before; null: none
   * @param {Taken | null} [taken] at once
   */
  paste(pasted, taken = null) {
    this.pasted = pasted;
    this.tell('pasted');
    if (taken) this.take(taken);
  }

  /** @returns {Side} whose facts are shown: B's only while there is a B */
  get side() {
    return this.answers.b ? this.state.side : 'a';
  }

  set side(side) {
    this.change({ side });
  }

  /** Sends the requests that the present state needs and that are not sent yet, but for a layout that waits. */
  ask() {
    if (!this.#judgement.isHeld(this.state, this.story !== null)) this.#questions.ask(this.state);
  }

  /** Asks again at once where the server did not answer: there is reason to hope. */
  hurry() {
    this.#questions.hurry();
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
    this.visit(this.state.walk, coords && { side: 'a', coords: Object.freeze([...coords]), address: null });
  }

  /**
   * Takes a step of a walk: selects its element, or points at an address that has none.
   * @param {PageState['walk']} walk
   * @param {PointedCell | null} cell
   */
  visit(walk, cell) {
    this.pointed = cell?.coords ? null : cell;
    this.change({ walk, selected: cell?.coords ?? null });
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

  /** The loaded values of A's elements, before the steps of a view. */
  get valuesInMemory() {
    return this.answers.a?.memory.tensor ? this.valuesFor(this.answers.a.memory.tensor) : null;
  }

  /**
   * What the slice takes along each dimension.
   * @param {Tensor} tensor
   * @returns {readonly SliceDim[] | null} null without a slice, and while the slice was answered for another rank
   */
  picksFor({ shape }) {
    const picks = this.picks?.filter(({ dim }) => dim !== null);
    return picks?.length === shape.length ? picks : null;
  }

  #rest() {
    this.ask();
    this.#judge();
    this.tell('rest');
  }

  /** Decides what is shown of the errors, what waits to be typed on, what is stale and what is told. */
  #judge() {
    if (this.#judgement.judge(this.state, this.story !== null)) this.tell('problem');
    if (!this.resting) return;
    this.#keepSelected();
    const typed = this.#typing.field?.name === 'shape' && isAnswer(this.answers.a, this.state.a) && !this.valuesInMemory;
    const own = typed ? withoutPicture(this.state) : null;
    if (own) this.change(own);
    const story = nextStory(this.story, this.state, this.answers);
    const same = story?.preset === this.story?.preset && story?.stage === this.story?.stage;
    this.story = story;
    if (!same) this.tell('story');
  }
}
