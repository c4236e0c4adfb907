import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { sliceOfView, viewChain } from '../../../static/api/view-chain.js';
import { DEFAULT_FIELDS } from '../../../static/state/permalink.js';

const { fetch } = globalThis;
const { signal } = new AbortController();

afterEach(() => {
  globalThis.fetch = fetch;
});

/**
 * A server that refuses every step named in `wrong`.
 * @param {Record<string, {status: number, errors: object[]}>} [wrong] by op
 * @returns {{op: string}[][]} the steps of each request
 */
function serve(wrong = {}) {
  /** @type {{op: string}[][]} */
  const asked = [];
  globalThis.fetch = async (_url, init) => {
    const { steps } = JSON.parse(String(init?.body));
    asked.push(steps);
    const bad = steps.find((/** @type {{op: string}} */ { op }) => wrong[op]);
    const answer = { tensor: { layout: `after ${steps.length}` }, results: steps, breaks: null };
    const { status = 200, errors = undefined } = bad ? wrong[bad.op] : {};
    return new Response(JSON.stringify(errors ? { errors } : answer), { status });
  };
  return asked;
}

const fields = (/** @type {string} */ steps) => ({ ...DEFAULT_FIELDS, steps, slice: '0' });

test('the steps before a refused one are taken, and its problem keeps its place', async () => {
  const errors = [{ field: 'steps[2].dim', message: 'got zero; expected another' }];
  const asked = serve({ flip: { status: 422, errors } });
  const chain = await viewChain(fields('squeeze().unsqueeze(0).flip(0).squeeze()'), signal);
  assert.deepEqual(asked.map((steps) => steps.length), [4, 2]);
  assert.equal(chain.results.length, 2);
  assert.equal(chain.steps.length, 4);
  assert.deepEqual(chain.problems, [
    { field: 'steps', message: 'got zero; expected another', position: null, path: 'steps[2].dim', step: 2, part: 'dim' },
  ]);
  await sliceOfView(fields('squeeze().unsqueeze(0).flip(0)'), signal);
  assert.deepEqual(asked.slice(2).map((steps) => steps.length), [3, 2]);
});

test('a step with an empty argument waits, and nothing is asked where no step is complete', async () => {
  const asked = serve();
  const chain = await viewChain(fields('squeeze().flip().permute(0,'), signal);
  assert.deepEqual(asked.map((steps) => steps.length), [1]);
  assert.deepEqual(chain.problems.map(({ step, position }) => [step, position]), [[1, null], [undefined, 27]]);
  const none = await viewChain(fields('flip()'), signal);
  assert.deepEqual([asked.length, none.shown, none.results], [1, null, []]);
});

test('a refused tensor is an error of the whole', async () => {
  serve({ flip: { status: 422, errors: [{ field: 'tensor.shape', message: 'no' }] } });
  await assert.rejects(viewChain(fields('flip(0)'), signal), /no/);
});

test('a server that always refuses the first step ends the asking', async () => {
  const asked = serve({ flip: { status: 422, errors: [{ field: 'steps[9].dim', message: 'no' }] } });
  const chain = await viewChain(fields('flip(0).flip(0).flip(0)'), signal);
  assert.deepEqual(asked.map((steps) => steps.length), [3, 2, 1]);
  assert.equal(chain.shown, null);
});
