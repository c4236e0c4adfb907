import assert from 'node:assert/strict';
import test from 'node:test';
import { fewestLines } from '../../../static/words/cost.js';

const STOPPED = { accesses: 8, at_least: [], partial: [] };
/** @param {(number | string)[]} lines @param {number} [stopped] how many at the end were not counted to their end */
const fewest = (lines, stopped = 0) =>
  fewestLines(lines.map((lines_fetched, at) => ({ lines_fetched, stopped: at < lines.length - stopped ? null : STOPPED })));

test('all orders that fetch the fewest lines are the least, unless all do', () => {
  assert.equal(fewest([48, 768, 48]), 48n);
  assert.equal(fewest(['9007199254740993', '9007199254740992']), 9007199254740992n);
  assert.equal(fewest([48, 48]), null);
});

test('an order that was not counted to its end is not the least', () => {
  assert.equal(fewest([48, 48, 12], 1), 48n);
  assert.equal(fewest([48, 12], 2), null);
});
