import assert from "node:assert/strict";
import { test } from "node:test";

import { EXAMPLE } from "../../../../static/state/run/example.js";
import { isRun, packed, unpacked } from "../../../../static/state/run/link.js";

test("a log reads back from its link", async () => {
  for (const log of [EXAMPLE, "loss 0.25 \u00b5s \u2713\n", EXAMPLE.repeat(50)]) {
    const link = await packed(log);
    assert.match(link, /^#log=[\w-]+$/);
    assert.equal(await unpacked(link), log);
  }
});

test("a log that is too long has no link", async () => {
  let seed = 1;
  const noise = Array.from({ length: 20000 }, () => String.fromCodePoint(33 + ((seed = (seed * 48271) % 2147483647) % 90)));
  assert.equal(await packed(noise.join("")), "");
  assert.equal(await packed("x".repeat(2 ** 22 + 1)), "");
  assert.equal(await packed(""), "");
});

test("a broken link is no log, and one that grows without end stops", async () => {
  const link = await packed(EXAMPLE);
  for (const fragment of ["", "#", "#log=", "#log=%%%", link.slice(0, -9), `#log=${"A".repeat(9000)}`]) {
    assert.equal(await unpacked(fragment), "", fragment.slice(0, 20));
  }
  assert.equal(await unpacked(await packed("a".repeat(2 ** 22))), "a".repeat(2 ** 22));
});

test("the API says whether a text is that of a run, with the tensors that it names or in place of them", async () => {
  const refused = (/** @type {string} */ code) => ({ status: 422, errors: [{ field: "text", message: "no", code }] });
  const rows = /** @type {const} */ ([
    [200, { run: "onednn-verbose", tensors: [] }, true], [200, { run: null, tensors: [] }, false],
    [422, refused("text.run"), true], [422, refused("text"), false], [503, {}, false],
  ]);
  for (const [status, body, said] of rows) {
    globalThis.fetch = async () => new Response(JSON.stringify(body), { status });
    assert.equal(await isRun(EXAMPLE, new AbortController().signal), said, JSON.stringify(body));
  }
});
