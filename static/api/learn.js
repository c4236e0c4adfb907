import { API, answerOf, post } from './client.js';

/**
 * @typedef {object} LessonSummary
 * @property {string} id
 * @property {string} chapter
 * @property {string} title
 * @property {number} minutes
 *
 * @typedef {'number' | 'cell' | 'cells' | 'choice' | 'several' | 'strides'} QuestionKind
 * @typedef {number | string | readonly (number | string)[]} LessonAnswer
 *
 * @typedef {object} Question
 * @property {QuestionKind} kind
 * @property {string} prompt
 * @property {readonly string[]} choices
 * @property {string} dims that strides are asked of
 * @property {'address' | 'byte' | 'bytes' | 'elements' | 'lines' | null} unit of a number
 * @property {number | null} line elements of a cache line, where lines are asked for
 * @property {readonly number[] | null} at the cell of the first tensor that is asked about
 * @property {readonly (number | null)[] | null} memory where the layout is asked for: for each address the number of its element in row-major order
 *
 * @typedef {object} LessonTensor
 * @property {readonly number[]} shape
 * @property {string | {strides: readonly number[], offset: number} | null} layout null where it is asked for
 * @property {string} dtype
 * @property {string} dims
 *
 * @typedef {LessonSummary & {seed: number, level: number, text: string, tensors: readonly LessonTensor[], shows: readonly ('both' | 'tensor' | 'memory' | 'after' | 'memory_after')[], question: Question, hints: readonly string[]}} Lesson
 *
 * @typedef {object} Checked
 * @property {boolean} right
 * @property {LessonAnswer} expected
 * @property {{code: string, text: string, computed: LessonAnswer, believed: LessonTensor | null} | null} misconception
 * @property {string} explanation
 * @property {string | null} landing
 * @property {{right: readonly number[], given: readonly number[]}} marks addresses of the first tensor
 * @property {readonly LessonTensor[]} tensors with their layouts
 */

/*
 * All of these throw an ApiProblem where the API refuses or cannot be reached.
 */

/**
 * @param {AbortSignal} signal
 * @returns {Promise<{lessons: readonly LessonSummary[], levels: number}>}
 */
export async function lessons(signal) {
  return /** @type {{lessons: LessonSummary[], levels: number}} */ (await answerOf(`${API}/lessons`, { signal }));
}

/**
 * @param {string} id
 * @param {{seed: number, level: number}} asked
 * @param {AbortSignal} signal
 * @returns {Promise<Lesson>}
 */
export async function lesson(id, { seed, level }, signal) {
  const url = `${API}/lessons/${encodeURIComponent(id)}?seed=${seed}&level=${level}`;
  return /** @type {Lesson} */ (await answerOf(url, { signal }));
}

/**
 * @param {LessonTensor} tensor
 * @param {AbortSignal} signal
 * @returns {Promise<import('../core/types.js').DescriptionJson>}
 */
export async function described(tensor, signal) {
  return /** @type {import('../core/types.js').DescriptionJson} */ (await post('describe', JSON.stringify(tensor), signal));
}

/**
 * @param {Lesson} of
 * @param {LessonAnswer | null} answer null gives up
 * @param {AbortSignal} signal
 * @returns {Promise<Checked>}
 */
export async function checked({ id, seed, level }, answer, signal) {
  const body = JSON.stringify({ seed, level, answer });
  return /** @type {Checked} */ (await post(`lessons/${encodeURIComponent(id)}/answer`, body, signal));
}
