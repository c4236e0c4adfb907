const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** Asks again, by and by, until an answer comes: after 1, 2, 4, 8 … seconds, at most every 30. */
export class Retry {
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #ask;

  /** @param {() => void} ask */
  constructor(ask) {
    this.#ask = ask;
  }

  /** Whether an answer is being waited for. */
  get waits() {
    return this.#timer !== null;
  }

  /** A request had no answer. Several that fail together count once. */
  failed() {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#now(), Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS));
    this.#failures += 1;
  }

  /** An answer came. */
  answered() {
    this.#failures = 0;
    this.#stop();
  }

  /** Asks at once if an answer is being waited for: there is reason to hope. */
  hurry() {
    if (this.waits) this.#now();
  }

  #now() {
    this.#stop();
    this.#ask();
  }

  #stop() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
