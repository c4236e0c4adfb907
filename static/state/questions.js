import { ApiProblem, catalogue, describe } from '../api/client.js';
import { sliceOfView, viewChain } from '../api/view-chain.js';
import { answerOf, sharedLetters, stopOf } from './answers.js';
import { fullShape } from './half-typed.js';
import { Retry } from './retry.js';
import { createSliceReader } from './typed-slice.js';

/** @import { Catalogue, SliceAnswer, TensorFields } from '../api/types.js' */
/** @import { Found } from './answers.js' */
/** @import { Answer, PageState, Side } from './types.js' */

/** @typedef {Side | 'slice'} Part what is asked for separately */

/** An answer that takes longer than this is late. */
const SLOW_MS = 400;

/** What was asked of the API, and what it answered. Each change asks once; what had no answer is asked again. */
export class Questions {
  /** @type {Record<Part, {key: string, stop: AbortController} | null>} */
  #asked = { a: null, b: null, slice: null };
  /** @type {Record<Part, boolean>} what the server did not answer */
  #away = { a: false, b: false, slice: false };
  #retry = new Retry(() => this.#askAgain());
  /** @type {Promise<Catalogue> | null} */
  #catalogue = null;
  /** @type {PageState | null} */
  #state = null;

  /** @type {Record<Side, Answer | null>} the last good answers, each with its own letters */
  #own = { a: null, b: null };
  /** @type {Record<Side, Answer | null>} the last good answers */
  answers = { a: null, b: null };
  /** @type {SliceAnswer | null} */
  sliced = null;
  /** @type {Found} what the API refuses, wherever and whenever it is shown */
  found = { a: [], b: [], slice: [], steps: [] };
  /** @type {Record<Part, boolean>} whether an answer is on its way: what was found is of the question before */
  awaited = { a: false, b: false, slice: false };
  /** @type {Record<Side, boolean>} whether the answer is late */
  late = { a: false, b: false };
  /** @type {Catalogue | null} as far as it was asked for */
  names = null;
  #readSlice = createSliceReader();
  #elementTypes;
  #heard;

  /**
   * @param {ReadonlyMap<string, number>} elementTypes bits of each type, by the name of the API
   * @param {(what: 'answer' | 'slice' | 'other') => void} heard called after each change of what is public here
   */
  constructor(elementTypes, heard) {
    this.#elementTypes = elementTypes;
    this.#heard = heard;
  }

  /**
   * Sends the requests that a state needs and that are not sent yet.
   * @param {PageState} state
   */
  ask(state) {
    this.#state = state;
    this.#askSide('a', state.a);
    this.#askSide('b', state.b);
    this.#askSlice(state.a);
  }

  /** What the slice takes: as answered; as read from its text while the answer is awaited. */
  get picks() {
    if (this.sliced || this.found.slice.length > 0) return this.sliced?.picks ?? null;
    return this.#readSlice(this.#state?.a.slice ?? '', this.answers.a?.tensor?.shape);
  }

  /** Asks again at once where the server did not answer. */
  hurry() {
    this.#retry.hurry();
  }

  /** @returns {Promise<Catalogue | null>} the named formats, asked for once; null where the server does not answer */
  async catalogue() {
    this.#catalogue ??= catalogue(new AbortController().signal);
    try {
      this.names = await this.#catalogue;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      this.#catalogue = null;
    }
    this.#heard('other');
    return this.names;
  }

  /**
   * @param {Side} side
   * @param {TensorFields | null} fields
   */
  async #askSide(side, fields) {
    const question = fields && { ...fields, slice: '' };
    const signal = this.#begin(side, question && JSON.stringify(question));
    if (!signal) return;
    this.late[side] = false;
    if (!question) {
      this.#came(side);
      this.#answered(side, null);
      this.found[side] = [];
      this.#heard('answer');
      return;
    }
    const slow = setTimeout(() => this.#late(side), SLOW_MS);
    signal.addEventListener('abort', () => clearTimeout(slow));
    try {
      const description = await describe(question, signal);
      const chain = question.steps.trim() ? await viewChain(question, signal) : null;
      if (signal.aborted) return;
      this.#came(side);
      this.#answered(side, answerOf(question, description, chain, this.#elementTypes));
      this.found[side] = side === 'b' ? stopOf(chain) : [];
      if (side === 'a') this.found.steps = chain?.problems ?? [];
      this.#heard('answer');
    } catch (error) {
      if (signal.aborted) return;
      const full = side === 'a' && error instanceof ApiProblem ? await fullShape(question, error.problems, signal) : '';
      if (signal.aborted) return;
      this.found[side] = this.#complaintsOf(side, error).map((problem) => (full ? { ...problem, full } : problem));
      this.#heard('other');
    } finally {
      clearTimeout(slow);
    }
  }

  /**
   * @param {Side} side
   * @param {Answer | null} answer
   */
  #answered(side, answer) {
    this.#own[side] = answer;
    this.answers = sharedLetters(this.#own, this.#elementTypes);
  }

  /** @param {TensorFields} fields */
  async #askSlice(fields) {
    const signal = this.#begin('slice', fields.slice.trim() && JSON.stringify(fields));
    if (!signal) return;
    this.sliced = null;
    this.found.slice = [];
    if (fields.slice.trim()) {
      try {
        const answer = await sliceOfView(fields, signal);
        if (signal.aborted) return;
        this.#came('slice');
        this.sliced = answer;
      } catch (error) {
        if (signal.aborted) return;
        // Errors of the tensor itself are shown beside its own fields already.
        this.found.slice = this.#complaintsOf('slice', error).filter(({ field }) => field === 'slice' || field === 'other');
      }
    } else {
      this.#came('slice');
    }
    this.#heard('slice');
  }

  /**
   * Cancels the open request and begins the next; null where the same one is open, answered or refused.
   * @param {Part} part
   * @param {string | null} key
   */
  #begin(part, key) {
    if (this.#asked[part]?.key === (key ?? '')) return null;
    this.#asked[part]?.stop.abort();
    const stop = new AbortController();
    this.#asked[part] = { key: key ?? '', stop };
    this.awaited[part] = true;
    return stop.signal;
  }

  /** Asks once more what the server did not answer. */
  #askAgain() {
    for (const part of /** @type {const} */ (['a', 'b', 'slice'])) {
      if (this.#away[part]) this.#asked[part] = null;
    }
    if (this.#state) this.ask(this.#state);
  }

  /** @param {Side} side */
  #late(side) {
    this.late[side] = true;
    this.#heard('other');
  }

  /**
   * The server answered, or there is nothing to answer any more.
   * @param {Part} part
   */
  #came(part) {
    this.awaited[part] = false;
    this.#away[part] = false;
    if (!Object.values(this.#away).includes(true)) this.#retry.answered();
  }

  /**
   * @param {Part} part
   * @param {unknown} error
   */
  #complaintsOf(part, error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.away) {
      this.awaited[part] = false;
      this.#away[part] = true;
      this.#retry.failed();
    } else {
      this.#came(part);
    }
    return error.problems;
  }
}
