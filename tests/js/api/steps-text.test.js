import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSteps, missingOf, parseSteps, STEP_OPS, stepsJson, usualArguments } from '../../../static/api/steps-text.js';
import { viewCurl } from '../../../static/api/fields.js';
import { DEFAULT_FIELDS } from '../../../static/state/permalink.js';
import { seeded } from '../random-layouts.js';

/** @param {string} text */
function jsonOf(text) {
  const { steps, problem } = parseSteps(text);
  assert.equal(problem, null, text);
  return JSON.parse(stepsJson(steps));
}

test('steps are read as they are written for PyTorch', () => {
  /** @type {[string, object[]][]} */
  const cases = [
    ['permute(0, 2, 1)', [{ op: 'permute', dims: [0, 2, 1] }]],
    ['x.permute((0,2,1))', [{ op: 'permute', dims: [0, 2, 1] }]],
    ['x.permute(dims=[0, 2, 1])', [{ op: 'permute', dims: [0, 2, 1] }]],
    ['.reshape(2, -1)', [{ op: 'reshape', shape: [2, -1] }]],
    ['view(-1)', [{ op: 'reshape', shape: [-1] }]],
    ['reshape()', [{ op: 'reshape', shape: [] }]],
    ['expand(4, -1)', [{ op: 'broadcast', shape: [4, -1] }]],
    ['transpose(0, -1)', [{ op: 'transpose', dim0: 0, dim1: -1 }]],
    ['chunk(2, dim=1)[0]', [{ op: 'chunk', chunks: 2, dim: 1, index: 0 }]],
    ['chunk(3) [2]', [{ op: 'chunk', chunks: 3, dim: 0, index: 2 }]],
    ['narrow(1, start=0, length=2)', [{ op: 'narrow', dim: 1, start: 0, length: 2 }]],
    ['flip(0).flip(dim=1)', [{ op: 'flip', dim: 0 }, { op: 'flip', dim: 1 }]],
    ['squeeze().squeeze(0)', [{ op: 'squeeze' }, { op: 'squeeze', dim: 0 }]],
    ['submemory((0,16),(2,32))', [{ op: 'submemory', offsets: [0, 16], sizes: [2, 32] }]],
    ['submemory(sizes=(2,), offsets=(1,))', [{ op: 'submemory', offsets: [1], sizes: [2] }]],
    ['x[0]', [{ op: 'select', dim: 0, index: 0 }]],
    ['x[:, -1, None, ::-1, 1:3]', [
      { op: 'select', dim: 1, index: -1 },
      { op: 'unsqueeze', dim: 1 },
      { op: 'flip', dim: 2 },
      { op: 'narrow', dim: 3, start: 1, length: 2 },
    ]],
    ['x[:, ::2]', [{ op: 'index', index: ':, ::2' }]],
    ['x[..., 1].T.mT', [{ op: 'index', index: '..., 1' }, { op: 'T' }, { op: 'mT' }]],
    ['x[0:3:2]', [{ op: 'index', index: '0:3:2' }]],
    ['flatten().flatten(1)', [{ op: 'flatten' }, { op: 'flatten', start_dim: 1 }]],
    ['unfold(0, size=2, step=1)', [{ op: 'unfold', dim: 0, size: 2, step: 1 }]],
    ['contiguous()', [{ op: 'contiguous' }]],
    ['contiguous(memory_format=torch.channels_last)', [{ op: 'contiguous', memory_format: 'channels_last' }]],
    ['', []],
    ['  ', []],
  ];
  for (const [text, steps] of cases) assert.deepEqual(jsonOf(text), steps, text);
});

test('a mistake keeps the steps before it and is told at its character', () => {
  /** @type {[string, number, number, RegExp][]} */
  const cases = [
    ['permute(0,1).rotate(2)', 1, 13, /one of permute, transpose/],
    ['permute(0,1).resh', 1, 13, /one of/],
    ['flip(0).permute(0,', 1, 18, /closing bracket/],
    ['flip(0).permute', 1, 15, /bracket \(/],
    ['flip(0)!', 1, 7, /a step/],
    ['x[0:3:a]', 0, 2, /range/],
    ['narrow(1,2,3,4)', 0, 13, /dim, start, length/],
    ['select(at=1)', 0, 7, /dim, index/],
    ['__proto__(1)', 0, 0, /one of/],
    ['flip(0).'.repeat(64) + 'flip(1)', 64, 512, /at most 64/],
  ];
  for (const [text, count, position, words] of cases) {
    const { steps, problem } = parseSteps(text);
    assert.equal(steps.length, count, text);
    assert.equal(problem?.position, position, text);
    assert.match(problem?.message ?? '', words);
  }
});

test('what is no integer is sent as text, for the API to name, and an empty argument is found', () => {
  assert.deepEqual(jsonOf('permute(0, a)'), [{ op: 'permute', dims: [0, 'a'] }]);
  assert.deepEqual(jsonOf('flip(1.5)'), [{ op: 'flip', dim: '1.5' }]);
  const [step] = parseSteps('narrow(1,,2)').steps;
  assert.equal(missingOf(step), 'start');
  assert.equal(missingOf(parseSteps('chunk(2, 1)').steps[0]), 'index');
  assert.equal(missingOf(parseSteps('squeeze()').steps[0]), null);
  assert.equal(stepsJson(parseSteps('flip(9007199254740993)').steps), '[{"op": "flip", "dim": 9007199254740993}]');
});

test('the text of steps reads back as the same steps', () => {
  const random = seeded(11);
  const names = Object.keys(STEP_OPS);
  for (let number = 0; number < 2000; number += 1) {
    const steps = Array.from({ length: random(5) }, () => {
      const op = names[random(names.length)];
      const shape = Array.from({ length: random(4) + (op === 'submemory' ? 0 : 1) }, () => 1 + random(5));
      return { op, args: usualArguments(op, shape) };
    });
    const text = formatSteps(steps);
    const { steps: read, problem } = parseSteps(text);
    assert.equal(problem, null, text);
    assert.deepEqual(read.map(({ op, args }) => ({ op, args })), steps, text);
    assert.equal(formatSteps(read), text);
  }
});

test('brackets typed into one argument do not reach the next', () => {
  assert.equal(formatSteps([{ op: 'permute', args: { dims: '0,2).flip(1' } }]), 'permute(0,2flip1)');
});

test('any text is read without an exception', () => {
  const random = seeded(12);
  const pieces = ['permute', '(', ')', '[', ']', ',', '.', '0', ' ', '-1', 'x', ':', 'dim=', 'None', '﷽', 'chunk(2,1)', '\n'];
  for (let number = 0; number < 5000; number += 1) {
    const text = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
    const { steps, problem } = parseSteps(text);
    assert.ok(problem === null || (problem.position >= 0 && problem.position <= text.length), text);
    JSON.parse(stepsJson(steps));
  }
});

test('the call in a terminal is quoted for the shell', () => {
  const fields = { ...DEFAULT_FIELDS, shape: '2,3', layout: "it's", steps: 'flip(0)' };
  assert.equal(
    viewCurl('http://h', fields),
    `curl 'http://h/api/v1/view' -H 'Content-Type: application/json' -d '{"tensor": {"shape": [2, 3], "layout": "it'\\''s", "dtype": "float32"}, "steps": [{"op": "flip", "dim": 0}]}'`,
  );
});

test("NumPy's transpose of all axes is permute, PyTorch's of two dimensions is not", () => {
  const read = (/** @type {string} */ text) => parseSteps(text).steps.map(({ op, args }) => [op, args]);
  assert.deepEqual(read('x.transpose(2, 0, 1)'), [['permute', { dims: '2,0,1' }]]);
  assert.deepEqual(read('x.transpose((1, 0))'), [['permute', { dims: '1, 0' }]]);
  assert.deepEqual(read('x.transpose(0, 2)'), [['transpose', { dim0: '0', dim1: '2' }]]);
});
