import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiProblem, describe, foresee } from '../../../static/api/client.js';

const FIELDS = { shape: '2, 3', layout: 'NHWC', dtype: 'int8', dims: '', steps: '', slice: '', elements: '' };
const REFUSAL = {
  title: 'Unprocessable Content', status: 422, detail: 'no', errors: [{ field: 'tensor.layout', message: 'rank 4', code: 'rank', position: 2 }],
};

/**
 * Asks for a description of a server that gives this answer.
 * @param {number} status
 * @param {string} type
 * @param {unknown} body
 */
async function askedOf(status, type, body) {
  /** @type {[string, RequestInit][]} */
  const asked = [];
  globalThis.fetch = async (url, init = {}) => {
    asked.push([String(url), init]);
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': type } });
  };
  const answer = await describe(FIELDS, new AbortController().signal).catch((error) => error);
  return { asked, answer };
}

test('a refusal may come as an answer, from a server that knows the wish, or with its own status', async () => {
  for (const [status, type] of /** @type {const} */ ([[200, 'application/problem+json'], [422, 'application/problem+json'], [422, 'application/json']])) {
    const { asked, answer } = await askedOf(status, type, REFUSAL);
    assert.deepEqual(asked[0][1].headers, { Prefer: 'refusal=answer' });
    assert.ok(answer instanceof ApiProblem, `${status} ${type}`);
    assert.equal(answer.away, false);
    assert.deepEqual(answer.problems, [{ field: 'layout', message: 'rank 4', code: 'rank', position: 2, path: 'tensor.layout' }]);
  }
});

test('what came with the page is not asked for', async () => {
  foresee(JSON.stringify([{ asked: { dtype: 'int8', shape: '2,3', layout: 'NHWC' }, answer: { shape: [2, 3] } }]));
  const { asked, answer } = await askedOf(200, 'application/json', {});
  assert.deepEqual([asked.length, answer], [0, { shape: [2, 3] }]);
});
