import { ApiProblem, read } from '../../api/client.js';
import { run } from '../../api/run.js';
import { firstLines } from '../pasted.js';

/** @import { RunAnswer, RunFinding } from '../../api/run.js' */
/** @typedef {'answer' | 'finding' | 'show' | 'problem' | 'busy'} RunTopic */

/** The state of the page of runs: a log, what it says, which finding is shown. The log stays in this tab. */
export class RunSession {
  #events = new EventTarget();
  #asking = new AbortController();

  /** @type {RunAnswer | null} */
  answer = null;
  log = '';
  /** What the log is called. */
  name = '';
  problem = '';
  /** @type {readonly import('../../api/types.js').FoundTensor[]} what a text that is no run says of tensors */
  tensors = [];
  busy = false;
  /** Index of the finding that is shown. */
  at = 0;
  /** Whether only reorders are listed. */
  reordersOnly = false;

  /**
   * @param {RunTopic | RunTopic[]} topics
   * @param {() => void} listener
   * @param {AbortSignal} signal removes the listener
   */
  on(topics, listener, signal) {
    for (const topic of [topics].flat()) this.#events.addEventListener(topic, listener, { signal });
  }

  /** @param {RunTopic} topic */
  tell(topic) {
    this.#events.dispatchEvent(new Event(topic));
  }

  /** @returns {RunFinding | null} the finding that is shown */
  get finding() {
    return this.answer?.findings[this.at] ?? null;
  }

  /** @param {string} problem */
  complain(problem) {
    Object.assign(this, { problem, tensors: [] });
    this.tell('problem');
  }

  /** Says why a text was not read, and that what is shown is not of it. @param {string} problem */
  refuse(problem) {
    this.complain(this.answer ? `Not read, and the run before it is still shown. ${problem}` : problem);
  }

  /** @param {number} at */
  choose(at) {
    this.at = at;
    this.tell('finding');
  }

  /** @param {boolean} only */
  show(only) {
    this.reordersOnly = only;
    this.tell('show');
  }

  /**
   * Asks what a log says. What was shown stays where it is refused.
   * @param {string} log
   * @param {string} name
   */
  async read(log, name) {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    this.busy = true;
    this.tell('busy');
    try {
      const answer = await run(log, signal);
      if (signal.aborted) return;
      Object.assign(this, { answer, log, name, problem: '', tensors: [], at: 0 });
      this.tell('answer');
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiProblem)) throw error;
      this.refuse(`${name}: ${error.message}`);
      await this.#readTensors(log, signal);
    }
    this.busy = false;
    this.tell('busy');
  }

  /**
   * Asks what a text that is no run says of tensors, as a line of benchdnn does.
   * @param {string} text
   * @param {AbortSignal} signal
   */
  async #readTensors(text, signal) {
    const answer = await read(firstLines(text).text, signal).catch(() => null);
    if (!answer || signal.aborted) return;
    this.tensors = answer.tensors;
    this.tell('problem');
  }
}
