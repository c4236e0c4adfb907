import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legendOf } from '../../../../static/words/grids/embedded.js';

const tensor = { dims: ['N', 'C', 'H', 'W'] };

test('the legend of grids in other pages says what colours and texts are, where they are seen', () => {
  const plan = { scale: 'categories', dim: 1 };
  assert.equal(legendOf({ plan, tensor }, new Set(['text', 'padding']), 'linear'), 'Colour: channel c; numbers count elements row by row; hatched: padding.');
  assert.equal(legendOf({ plan, tensor }, new Set(['selected']), 'linear'), 'Colour: channel c.');
  assert.equal(legendOf({ plan: { scale: 'flat', dim: 2 }, tensor }, new Set(['text', 'shared']), 'coords'), 'Colour: h; numbers are coordinates; corner: several elements share the place.');
  assert.equal(legendOf({ plan: { scale: 'grey', dim: -1 }, tensor }, new Set(['text']), 'value'), 'Colour: value; numbers are values.');
  assert.equal(legendOf({ plan, tensor, unit: { name: 'line' } }, new Set(), 'linear'), 'Colour: cache line.');
});
