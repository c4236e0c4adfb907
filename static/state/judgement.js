import { isAnswer, NO_PROBLEMS, partOf, placed, stillShown } from './answers.js';
import { halfTyped, isBeginning } from './half-typed.js';

/** @import { PageState, Side } from './types.js' */
/** @import { Shown } from './answers.js' */
/** @import { HalfTyped } from './half-typed.js' */
/** @import { TypedField, Typing } from './typing.js' */
/** @import { Questions } from './questions.js' */

/** What is shown of the errors, what waits to be typed on, and what is stale. */
export class Judgement {
  /** @type {Shown} the errors on the page */
  problems = NO_PROBLEMS;
  /** @type {(TypedField & {how: HalfTyped}) | null} the field that is being typed into, where its text is a beginning */
  halfTyped = null;
  /** @type {Record<Side, boolean>} whether the last good answer is not to the present fields, and these are no beginning of others */
  stale = { a: false, b: false };
  #typing;
  #questions;
  #elementTypes;

  /**
   * @param {Typing} typing
   * @param {Questions} questions
   * @param {ReadonlyMap<string, number>} elementTypes by the name of the API
   */
  constructor(typing, questions, elementTypes) {
    this.#typing = typing;
    this.#questions = questions;
    this.#elementTypes = elementTypes;
  }

  /**
   * @param {PageState} state
   * @param {boolean} told whether an example is being told
   * @returns {boolean} whether something changed
   */
  judge(state, told) {
    const before = this.#text();
    const { found, awaited } = this.#questions;
    const kept = stillShown(this.problems, found, this.#typing.field);
    this.halfTyped = this.#readOn(state, told);
    if (this.halfTyped) {
      this.problems = NO_PROBLEMS;
    } else if (this.#typing.resting) {
      // What was found for the text before does not tell that the present one is wrong.
      const { a, b, slice, steps } = placed(found, this.#typing);
      this.problems = {
        a: awaited.a ? kept.a : a,
        b: awaited.b ? kept.b : b,
        slice: awaited.slice ? kept.slice : slice,
        steps: awaited.a ? kept.steps : steps,
      };
    } else {
      this.problems = kept;
    }
    this.stale = { a: this.#isStale('a', state), b: this.#isStale('b', state) };
    return before !== this.#text();
  }

  #text() {
    return JSON.stringify([this.problems, this.halfTyped, this.stale]);
  }

  /**
   * Whether the layout that is being typed is not to be asked for yet.
   * @param {PageState} state
   * @param {boolean} told
   */
  isHeld(state, told) {
    const { field, left, resting } = this.#typing;
    const fields = field && state[field.side];
    if (!fields || field.name !== 'layout' || (told ? left : resting)) return false;
    return isBeginning(fields, this.#questions.names);
  }

  /**
   * @param {PageState} state
   * @param {boolean} told
   */
  #readOn(state, told) {
    const { field, left } = this.#typing;
    const fields = field && state[field.side];
    if (!field || !fields || left) return null;
    const { side, name } = field;
    const { found, names, answers } = this.#questions;
    const held = this.isHeld(state, told);
    const problems = held ? [] : found[partOf({ side, name })];
    if ((problems.length === 0 && !held) || problems.some((problem) => problem.field === 'other')) return null;
    const shown = answers[side]?.description;
    const how = halfTyped(name, {
      fields,
      problems,
      catalogue: names,
      types: this.#elementTypes.keys(),
      rank: shown?.shape.length ?? null,
      buffer: shown ? String(shown.buffer.elements) : null,
    });
    return how && { side, name, how };
  }

  /**
   * @param {Side} side
   * @param {PageState} state
   */
  #isStale(side, state) {
    const fields = state[side];
    const { answers, found, late } = this.#questions;
    // A beginning is no mistake: what was drawn before it stays as it is.
    if (this.halfTyped || fields === null || answers[side] === null || isAnswer(answers[side], fields)) return false;
    // A mistake looks like one once it is told. While an answer is on its way, what looked stale still does.
    return (found[side].length > 0 && this.#typing.resting) || late[side] || this.stale[side];
  }
}
