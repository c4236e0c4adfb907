import { IMPORTED } from '../../api/python.js';

/** @import { Code } from '../facts/code.js' */
/** @import { Asked } from '../../api/networks/types.js' */

/**
 * What gives the answer that the page shows elsewhere.
 * @param {string} kind curl or python
 * @param {string} origin
 * @param {Asked | null} asked
 * @returns {Code}
 */
export function networkCode(kind, origin, asked) {
  if (!asked) return { reason: 'There is no network yet.' };
  const { preset, graph, call, wishes } = asked;
  const api = `${origin}/api/v1`;
  if (kind === 'curl') {
    const body = `{"graph": ${graph}, ${JSON.stringify(wishes).slice(1)}`;
    return { text: `curl '${api}/${call}' -H 'Content-Type: application/json' -d @- <<'JSON'\n${body}\nJSON\n` };
  }
  const loaded = preset ? `json.load(urlopen(${JSON.stringify(`${api}/networks/${encodeURIComponent(preset)}`)}))["graph"]` : `json.loads(${JSON.stringify(graph)})`;
  const options = `json.loads(${JSON.stringify(JSON.stringify(wishes))})`;
  const name = call === 'plan' ? 'plan_network' : 'propagate';
  const lines = [
    'import json',
    ...(preset ? ['from urllib.request import urlopen'] : []),
    IMPORTED,
    '',
    `graph = ${loaded}`,
    `found = stridescope.${name}(graph, **${options})`,
    '',
  ];
  return { text: lines.join('\n') };
}
