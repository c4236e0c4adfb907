import { IMPORTED } from '../../api/python.js';

/** @import { Code } from '../facts/code.js' */

/**
 * What gives the answer about a log elsewhere.
 * @param {string} kind curl or python
 * @param {string} origin
 * @param {string} log
 * @returns {Code}
 */
export function runCode(kind, origin, log) {
  if (log === '') return { reason: 'There is no run yet.' };
  if (kind === 'curl') return { text: `curl '${origin}/api/v1/run' -H 'Content-Type: application/json' -d @- <<'JSON'\n${JSON.stringify({ log })}\nJSON\n` };
  return { text: `${IMPORTED}\n\nrun = stridescope.read_run(${JSON.stringify(log)})\nfor finding in run.findings:\n    print(finding.text)\n` };
}
