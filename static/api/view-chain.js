import { ApiProblem, slice, view } from './client.js';
import { missingOf, parseSteps } from './steps-text.js';

/** @import { TensorFields, Description, FieldProblem, SliceAnswer } from './types.js' */
/** @import { StepText } from './steps-text.js' */

/**
 * What the API says of the steps of a view.
 * @typedef {object} ViewChain
 * @property {readonly StepText[]} steps as typed
 * @property {readonly import('./types.js').StepResult[]} results one for each step before the first mistake or copy
 * @property {import('./types.js').Breaks | null} breaks the step that needs a copy
 * @property {Description | null} shown the tensor after the last result; null where no step is taken
 * @property {readonly FieldProblem[]} problems of the first step with a mistake, or of the text
 */

/**
 * Asks for the views of the typed steps. Those before a mistake are taken all the same.
 * @param {TensorFields} fields
 * @param {AbortSignal} signal
 * @returns {Promise<ViewChain>}
 * @throws {ApiProblem} where the API refuses the tensor or cannot be reached
 */
export async function viewChain(fields, signal) {
  const { steps, problem } = parseSteps(fields.steps);
  const { asked, problems } = complete(steps);
  if (problem) problems.push({ field: 'steps', ...problem });
  const none = { results: [], breaks: null, tensor: null };
  const { answer, refused } = await shortened(asked, (some) =>
    some.length > 0 ? view(fields, some, signal) : Promise.resolve(none),
  );
  const { tensor, results, breaks } = answer;
  return { steps, results, breaks, shown: tensor ?? breaks?.before ?? null, problems: refused.length > 0 ? refused : problems };
}

/**
 * Asks for a slice of what the steps before the first mistake or copy give.
 * @param {TensorFields} fields with a slice
 * @param {AbortSignal} signal
 * @returns {Promise<SliceAnswer>}
 * @throws {ApiProblem} where the API refuses the tensor or the slice, or cannot be reached
 */
export async function sliceOfView(fields, signal) {
  const { asked } = complete(parseSteps(fields.steps).steps);
  return (await shortened(asked, (some) => slice(fields, some, signal))).answer;
}

/**
 * The steps before the first one that lacks an argument, and what it lacks.
 * @param {readonly StepText[]} steps
 */
function complete(steps) {
  const gap = steps.findIndex((step) => missingOf(step) !== null);
  /** @type {FieldProblem[]} */
  const problems = [];
  if (gap < 0) return { asked: steps, problems };
  const part = missingOf(steps[gap]) ?? '';
  problems.push({ field: 'steps', message: `${part} is empty; expected an integer`, position: null, step: gap, part });
  return { asked: steps.slice(0, gap), problems };
}

/**
 * Asks again with fewer steps where one is refused.
 * @template T
 * @param {readonly StepText[]} steps
 * @param {(steps: readonly StepText[]) => Promise<T>} ask
 * @returns {Promise<{answer: T, refused: readonly FieldProblem[]}>} refused: the problems of the first refused step
 */
async function shortened(steps, ask) {
  /** @type {readonly FieldProblem[]} */
  let refused = [];
  for (let asked = steps; ; ) {
    try {
      return { answer: await ask(asked), refused };
    } catch (error) {
      const step = error instanceof ApiProblem ? error.problems[0].step : undefined;
      if (!(error instanceof ApiProblem) || step === undefined || asked.length === 0) throw error;
      asked = asked.slice(0, Math.min(step, asked.length - 1));
      refused = error.problems.filter((problem) => problem.step === step);
    }
  }
}
