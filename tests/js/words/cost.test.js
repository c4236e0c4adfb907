import assert from 'node:assert/strict';
import test from 'node:test';
import { fewestLines, walkLines } from '../../../static/words/cost.js';

const STOPPED = { accesses: 8, at_least: [], partial: [] };
/** @param {(number | string)[]} lines @param {number} [stopped] how many at the end were not counted to their end */
const fewest = (lines, stopped = 0) =>
  fewestLines(lines.map((lines_fetched, at) => ({ lines_fetched, stopped: at < lines.length - stopped ? null : STOPPED })));

test('a page that changes is not fetched', () => {
  const jumps = { smallest: null, median: null, largest: null };
  const lines = walkLines({ accesses: 1, lines: { distinct: 1, fetched: 1, useful_bytes: 4, fetched_bytes: 64 }, pages: { distinct: 8, fetched: 512 }, jumps, order: '', stopped: null });
  assert.deepEqual(lines.filter(([name]) => name.startsWith('page')), [['pages, different', '8'], ['page look-ups', '512']]);
});

test('all orders that fetch the fewest lines are the least, unless all do', () => {
  assert.equal(fewest([48, 768, 48]), 48n);
  assert.equal(fewest(['9007199254740993', '9007199254740992']), 9007199254740992n);
  assert.equal(fewest([48, 48]), null);
});

test('an order that was not counted to its end is not the least', () => {
  assert.equal(fewest([48, 48, 12], 1), 48n);
  assert.equal(fewest([48, 12], 2), null);
});
