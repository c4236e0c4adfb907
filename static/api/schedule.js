import { post } from './client.js';
import { tensorJson } from './fields.js';

/** @import { TensorFields } from './types.js' */
/** @import { PlanJson } from '../core/schedule/types.js' */
/** @import { Integer } from '../core/types.js' */

/**
 * Asks for the plan of a reorder. No step is asked for: the page decodes them itself.
 * @param {TensorFields} source
 * @param {string} target layout
 * @param {AbortSignal} signal
 * @returns {Promise<{steps: Integer, plan: PlanJson}>}
 * @throws {import('./client.js').ApiProblem} where the API refuses or cannot be reached
 */
export async function schedule(source, target, signal) {
  const body = `{"source": ${tensorJson(source)}, "target": ${JSON.stringify(target)}, "count": 0}`;
  return /** @type {{steps: Integer, plan: PlanJson}} */ (await post('schedule', body, signal));
}
