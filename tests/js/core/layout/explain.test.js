import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainAddress } from '../../../../static/core/layout/explain.js';
import { createTensor } from '../../../../static/core/layout/tensor.js';
import { addressByDefinition, coordinatesOf, describe, randomLayout, seeded, swizzledLayout } from '../../random-layouts.js';

test('NCHW4 is explained by the quotient and the remainder of the channel', () => {
  const digits = [
    [{ extent: 2, stride: 576 }],
    [{ extent: 16, stride: 36 }, { extent: 4, stride: 1 }],
    [{ extent: 3, stride: 12 }],
    [{ extent: 3, stride: 4 }],
  ];
  const tensor = createTensor({ ...describe([2, 64, 3, 3], digits, 0), dims: 'NCHW' });
  const { text, terms, address } = explainAddress(tensor, [1, 14, 0, 1]);
  assert.equal(text, 'n·576 + ⌊c/4⌋·36 + (c mod 4)·1 + h·12 + w·4 = 1·576 + 3·36 + 2·1 + 0·12 + 1·4 = 690');
  assert.equal(address, 690);
  assert.deepEqual(terms[1].digits.map(({ digit, stride, product }) => [digit, stride, product]), [[3, 36, 108], [2, 1, 2]]);
});

test('three digits, an offset and a flip are explained', () => {
  const digits = [[{ extent: 2, stride: -100 }, { extent: 4, stride: 4 }, { extent: 4, stride: 1 }]];
  const tensor = createTensor({ ...describe([32], digits, 7), dims: 'I' });
  assert.equal(
    explainAddress(tensor, [27]).text,
    '100 − ⌊i/16⌋·100 + (⌊i/4⌋ mod 4)·4 + (i mod 4)·1 = 100 − 1·100 + 2·4 + 3·1 = 11',
  );
});

test('a scalar is at its offset', () => {
  assert.equal(explainAddress(createTensor(describe([], [], 0)), []).text, '0 = 0 = 0');
  assert.equal(explainAddress(createTensor(describe([], [], 5)), []).text, '5 = 5 = 5');
});

test('the numbers of every explanation add up to the address', () => {
  const random = seeded(42);
  for (let number = 0; number < 120; number += 1) {
    const layout = randomLayout(random);
    const tensor = createTensor(layout);
    for (const coords of coordinatesOf(layout.shape)) {
      const { numbers, address, terms, offset } = explainAddress(tensor, coords);
      assert.equal(address, addressByDefinition(layout, coords));
      const products = terms.flatMap(({ digits }) => digits.map(({ product }) => product));
      assert.equal(products.reduce((sum, product) => sum + product, offset), address);
      const read = numbers.replaceAll('− ', '+ -').replaceAll('−', '-').split(' + ').map((term) =>
        term.split('·').reduce((product, factor) => product * Number(factor), 1),
      );
      assert.equal(read.reduce((sum, term) => sum + term, 0), address, numbers);
    }
  }
});

test('a swizzle is explained by the sum and the bits that its XOR moves', () => {
  const digits = [[{ extent: 8, stride: 8 }], [{ extent: 8, stride: 1 }]];
  const layout = { ...describe([8, 8], digits, 0), dims: 'HW' };
  const inward = createTensor({ ...layout, swizzle: { bits: 2, base: 0, shift: 2 } });
  assert.equal(
    explainAddress(inward, [5, 7]).text,
    '(s = h·8 + w·1) ^ ((s & 0b1100) >> 2) = (5·8 + 7·1) ^ ((47 & 0b1100) >> 2) = 47 ^ 3 = 44',
  );
  const outward = createTensor({ ...layout, swizzle: { bits: 2, base: 1, shift: -3 } });
  assert.equal(
    explainAddress(outward, [1, 3]).text,
    '(s = h·8 + w·1) ^ ((s & 0b110) << 3) = (1·8 + 3·1) ^ ((11 & 0b110) << 3) = 11 ^ 16 = 27',
  );
});

test('the sum and the XOR of every swizzled explanation give the address', () => {
  const random = seeded(43);
  let changed = 0;
  for (let number = 0; number < 120; number += 1) {
    const layout = swizzledLayout(random, randomLayout(random));
    const tensor = createTensor(layout);
    /** @type {string[]} */
    const equations = [];
    /** @type {number[]} */
    const addresses = [];
    for (const coords of coordinatesOf(layout.shape)) {
      const { numbers, address, sum } = explainAddress(tensor, coords);
      assert.equal(address, addressByDefinition(layout, coords));
      assert.equal(sum, addressByDefinition({ ...layout, swizzle: null }, coords));
      equations.push(numbers);
      addresses.push(address);
      changed += Number(sum !== address);
    }
    // The text is an equation of JavaScript but for the signs, so JavaScript can check it: all of
    // a layout at once, as a function of its own takes longer than what it computes.
    const sides = equations.map((text) => `[${text.replaceAll('·', '*').replaceAll('−', '-').replaceAll(' = ', ', ')}]`);
    const computed = new Function(`return [${sides.join()}]`)();
    assert.equal(computed.length, addresses.length);
    addresses.forEach((address, at) => assert.deepEqual(computed[at], [address, address], equations[at]));
  }
  assert.ok(changed > 1000, `${changed} addresses that the swizzle changes`);
});
