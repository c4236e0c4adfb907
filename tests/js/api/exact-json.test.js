import assert from 'node:assert/strict';
import test from 'node:test';
import { parseExactJson } from '../../../static/api/exact-json.js';

test('integers beyond 2^53 arrive as strings, exact', () => {
  assert.deepEqual(parseExactJson('{"a": 9007199254740993, "b": [-9223372036854775808, 3]}'), {
    a: '9007199254740993',
    b: ['-9223372036854775808', 3],
  });
});

test('what a double holds stays a number', () => {
  for (const text of ['9007199254740991', '-9007199254740991', '1234567890123456', '0', '1e300', '0.1234567890123456789', '-0']) {
    assert.equal(parseExactJson(text), JSON.parse(text));
  }
});

test('digits inside strings are left alone', () => {
  const text = JSON.stringify({ '99999999999999999999': 'x "99999999999999999999" \\', plain: '12345678901234567890' });
  assert.deepEqual(parseExactJson(text), JSON.parse(text));
});

test('malformed text is still malformed', () => {
  for (const text of ['', '{', '{"a": 99999999999999999999', '[1,]', '"abc']) {
    assert.throws(() => parseExactJson(text), SyntaxError);
  }
});
