const LIMIT_MS = 120_000;
const PAUSE_MS = 50;

/**
 * Asks again until the answer is true. Throws an Error after two minutes.
 * @template T
 * @param {() => Promise<T> | T} ask
 * @param {() => string} what was waited for
 * @returns {Promise<T>} the first answer that is true
 */
export async function until(ask, what) {
  for (const end_ms = performance.now() + LIMIT_MS; performance.now() < end_ms; ) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`waited for two minutes: ${what()}`);
}
