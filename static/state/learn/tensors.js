import { described } from '../../api/learn.js';
import { pictured } from '../../core/layout/pictured.js';
import { createTensor } from '../../core/layout/tensor.js';

/** @import { LessonTensor } from '../../api/learn.js' */
/** @import { Tensor } from '../../core/types.js' */

/**
 * The tensors of a question, as far as they are told. Throws an ApiProblem where the API refuses or cannot be reached.
 * @param {readonly LessonTensor[]} tensors
 * @param {readonly (number | null)[] | null} memory of the first tensor, where its layout is asked for
 * @param {AbortSignal} signal
 * @returns {Promise<Tensor[]>}
 */
export function tensorsOf(tensors, memory, signal) {
  return Promise.all(
    tensors.map(async (each) => {
      const tensor = createTensor(await described({ ...each, layout: each.layout ?? each.dims }, signal));
      return each.layout === null && memory ? pictured(tensor, memory) : tensor;
    }),
  );
}
