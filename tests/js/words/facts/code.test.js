import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeTokens, seamsOf } from '../../../../static/words/facts/code.js';

for (const [line, expected] of /** @type {[string, string[]][]} */ ([
  ['import numpy as np  # 640 bytes', ['keyword import', 'keyword as', 'comment # 640 bytes']],
  ['x = np.zeros((2, 0x10), dtype="float32")', ['number 2', 'number 0x10', 'string "float32"']],
  ['dnnl::memory::dims d = {1, 6}; // sizes', ['number 1', 'number 6', 'comment // sizes']],
  ["curl 'http://host/api?shape=1,6'", ["keyword curl", "string 'http://host/api?shape=1,6'"]],
  ['"a \\" b" c', ['string "a \\" b"']],
  ['', []],
])) {
  test(`the tokens of ${line || 'nothing'}`, () => {
    const tokens = codeTokens(line);
    assert.equal(tokens.map(({ text }) => text).join(''), line);
    assert.deepEqual(tokens.filter(({ kind }) => kind).map(({ kind, text }) => `${kind} ${text}`), expected);
  });
}

for (const [line, expected] of /** @type {[string, string[]][]} */ ([
  ['x = np.arange(6).reshape((2, 3)).astype(np.float32)', ['x ', '= ', 'np.arange(6)', '.reshape((2, ', '3))', '.astype(np.float32)']],
  ['y = f(a).astype(ml_dtypes.float8_e4m3fn)', ['y ', '= ', 'f(a)', '.astype(', 'ml_dtypes.float8_e4m3fn)']],
  ['    memory::dims{5, 1}, memory::format_tag::aBcd4b);', ['    ', 'memory::dims{5, ', '1}, ', 'memory::', 'format_tag::', 'aBcd4b);']],
  ['', ['']],
])) {
  test(`the seams of ${line || 'nothing'}`, () => {
    const ends = [...seamsOf(line), line.length];
    assert.deepEqual(ends.map((end, at) => line.slice(ends[at - 1] ?? 0, end)), expected);
  });
}
