import { parseExactJson } from './exact-json.js';
import { describeQuery, fieldOf, tensorJson } from './fields.js';
import { sliceJson } from './slice-text.js';
import { stepsJson } from './steps-text.js';

/** @import { TensorFields, Description, SliceAnswer, FieldProblem, ReadAnswer, Catalogue, ViewAnswer } from './types.js' */
/** @import { StepText } from './steps-text.js' */

export const API = '/api/v1';
/** Offsets of a slice that are asked for. All others follow from its picks. */
export const MOST_OFFSETS = 2 ** 16;
/** Asks for refusals as answers of status 200: browsers write each other one to their console. */
const PREFER = Object.freeze({ Prefer: 'refusal=answer' });
const REFUSAL = 'application/problem+json';
/** Too many requests, and what a proxy answers for a server that is away. */
const FOR_NOW = new Set([429, 502, 503, 504]);

/** @type {Map<string, Description>} what the server wrote into the page, by what it answers */
const known = new Map();

/**
 * Takes over answers that came with the page, so that they need no call.
 * @param {string} text JSON: a list of what was asked and answered
 */
export function foresee(text) {
  for (const { asked, answer } of /** @type {{asked: Record<string, string>, answer: Description}[]} */ (parseExactJson(text))) {
    known.set(keyOf(Object.entries(asked)), answer);
  }
}

/** @param {Iterable<[string, string]>} asked */
function keyOf(asked) {
  return JSON.stringify([...asked].sort());
}

/** What the API refuses, or that it cannot be reached. */
export class ApiProblem extends Error {
  /**
   * @param {FieldProblem[]} problems at least one
   * @param {'refused' | 'away'} [cause] away: nothing was decided, and asking again may help
   */
  constructor(problems, cause = 'refused') {
    super(problems.map(({ message }) => message).join('; '));
    this.name = 'ApiProblem';
    this.problems = problems;
    this.away = cause === 'away';
  }
}

/**
 * Asks for the Description of what was typed.
 * @param {TensorFields} fields
 * @param {AbortSignal} signal
 * @returns {Promise<Description>}
 * @throws {ApiProblem} where the API refuses or cannot be reached
 */
export async function describe(fields, signal) {
  const query = describeQuery(fields);
  const found = known.get(keyOf(query));
  if (found) return found;
  const url = `${API}/describe?${query}`;
  return /** @type {Description} */ (await answerOf(url, { signal }));
}

/**
 * Asks for the views that steps make of the tensor that was typed.
 * @param {TensorFields} fields
 * @param {readonly StepText[]} steps
 * @param {AbortSignal} signal
 * @returns {Promise<ViewAnswer>}
 * @throws {ApiProblem} where the API refuses or cannot be reached
 */
export async function view(fields, steps, signal) {
  const body = `{"tensor": ${tensorJson(fields)}, "steps": ${stepsJson(steps)}}`;
  return /** @type {ViewAnswer} */ (await post('view', body, signal));
}

/**
 * Asks for the shape, first offsets, view and picks of a slice.
 * @param {TensorFields} fields with a slice
 * @param {readonly StepText[]} steps of a view, before the slice
 * @param {AbortSignal} signal
 * @returns {Promise<SliceAnswer>}
 * @throws {ApiProblem} where the API refuses or cannot be reached
 */
export async function slice(fields, steps, signal) {
  const taken = `"steps": ${stepsJson(steps)}, "first": ${MOST_OFFSETS}, ${sliceJson(fields.slice)}`;
  const body = `{"tensor": ${tensorJson(fields)}, ${taken}}`;
  return /** @type {SliceAnswer} */ (await post('slice', body, signal));
}

/**
 * Asks what a pasted text says about a tensor.
 * @param {string} text
 * @param {AbortSignal} signal
 * @returns {Promise<ReadAnswer>}
 * @throws {ApiProblem} where it says nothing; positions are those in the text
 */
export async function read(text, signal) {
  return /** @type {ReadAnswer} */ (await post('read', JSON.stringify({ text }), signal));
}

/**
 * Whether /read refused a text because it is that of a run, which names no tensor.
 * @param {unknown} error
 */
export function isOfRun(error) {
  return error instanceof ApiProblem && error.problems.some(({ code }) => code === 'text.run');
}

/**
 * Asks for the named formats and the systems.
 * @param {AbortSignal} signal
 * @returns {Promise<Catalogue>}
 * @throws {ApiProblem} where the API cannot be reached
 */
export async function catalogue(signal) {
  return /** @type {Catalogue} */ (await answerOf(`${API}/formats`, { signal }));
}

/**
 * Asks with a JSON body.
 * @param {string} path below the API's prefix
 * @param {string} body JSON
 * @param {AbortSignal} signal
 * @throws {ApiProblem} where the API refuses or cannot be reached
 */
export function post(path, body, signal) {
  const headers = { 'Content-Type': 'application/json' };
  return answerOf(`${API}/${path}`, { method: 'POST', body, headers, signal });
}

/**
 * Asks for JSON.
 * @param {string} url
 * @param {RequestInit} init
 * @throws {ApiProblem} where the API refuses or cannot be reached
 */
export async function answerOf(url, init) {
  let response;
  let text;
  try {
    response = await fetch(url, { ...init, headers: { ...init.headers, ...PREFER } });
    text = await response.text();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiProblem([complaint('other', 'The server does not answer. The page asks again by itself.')], 'away');
  }
  try {
    const body = parseExactJson(text);
    const refused = response.headers.get('Content-Type')?.startsWith(REFUSAL);
    if (response.ok && !refused) return body;
    throw new ApiProblem(problemsOf(body, response.status));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const cause = FOR_NOW.has(response.status) ? 'away' : 'refused';
    throw new ApiProblem([complaint('other', `The server answered ${response.status} without JSON.`)], cause);
  }
}

/**
 * @param {unknown} body problem+json
 * @param {number} status
 * @returns {FieldProblem[]}
 */
function problemsOf(body, status) {
  const { errors, detail, title } =
    /** @type {{errors?: {field?: string, message?: string, code?: string, params?: {n?: number}, position?: number}[], detail?: string, title?: string}} */ (
      body
    );
  const problems = (errors ?? []).map(({ field, message, code, params, position }) => ({
    field: fieldOf(field ?? ''),
    message: message ?? detail ?? title ?? `status ${status}`,
    ...(code && { code }),
    ...(code === 'layout.sizes' && { sizes: params?.n }),
    position: typeof position === 'number' ? position : null,
    path: field ?? '',
    ...stepOf(field ?? ''),
  }));
  return problems.length > 0 ? problems : [complaint('other', detail ?? title ?? `status ${status}`)];
}

/**
 * @param {string} path such as "steps[2].dims[0]"
 * @returns {{step?: number, part?: string}}
 */
function stepOf(path) {
  const [, step, part] = path.match(/^steps\[(\d+)\](?:\.(\w+))?/) ?? [];
  return step === undefined ? {} : { step: Number(step), part };
}

/**
 * @param {FieldProblem['field']} field
 * @param {string} message
 * @returns {FieldProblem}
 */
function complaint(field, message) {
  return { field, message, position: null };
}
