import assert from 'node:assert/strict';
import test from 'node:test';
import { plannedText, proofText, showsText } from '../../../static/words/network.js';

const WAY = { inputs: ['NHWC', null], outputs: ['NHWC'], cost: 0 };

test('a node of a plan says its reorders, and that no other way is cheaper where that is proven', () => {
  assert.equal(
    plannedText(WAY, [false, true], [], true),
    'The plan runs it in NHWC, weights: any → NHWC. It needs no reorder; weights are not counted. In no other way does the network cost less: choose another to see what the network costs then.',
  );
  assert.match(plannedText(WAY, [false, false], [], true), /NHWC, any → NHWC\. It needs no reorder\. In/);
  const copies = [{ bytes: 1000 }, { bytes: 1000 }];
  assert.match(plannedText({ ...WAY, cost: 8000 }, [false, true], copies, false), /at 8 kB\. It needs 2 reorders of 2 kB in all; weights are not counted: choose another/);
});

test('what a preset shows stands only where it is true', () => {
  const preset = { shows: 'No reorder.', shows_under: ['onednn', 'plan'] };
  const rules = { show: /** @type {const} */ ('rules'), rules: 'onednn', options: {} };
  const brgemm = { ...rules, options: { kernels: 'brgemm' } };
  assert.equal(showsText(preset, rules), 'No reorder.');
  assert.equal(showsText(preset, { ...rules, options: { isa: 'avx2', kernels: 'blocked' } }), 'No reorder.');
  assert.equal(showsText(preset, brgemm), '');
  assert.equal(showsText(preset, { ...brgemm, show: 'plan' }), 'No reorder.');
  assert.equal(showsText(preset, { ...rules, rules: 'pytorch-eager' }), '');
  assert.equal(showsText(preset, { ...rules, show: 'plan', rules: 'pytorch-eager' }), 'No reorder.');
  assert.equal(showsText({ ...preset, shows_under: [] }, brgemm), 'No reorder.');
});

test('that nothing is the least needs no proof', () => {
  assert.equal(proofText({ cost: 0, bound: 0, optimal: true }), '');
  assert.match(proofText({ cost: 8, bound: 8, optimal: true }), /^Proven: /);
});
