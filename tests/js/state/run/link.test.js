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

test("logs, profiles and traces are told from other texts", () => {
  for (const text of [EXAMPLE, "x dnnl_verbose,exec,cpu", '[{"cat" : "Session"', '{"format": "stridescope-trace", "version": 1']) assert.equal(isRun(text), true, text);
  for (const text of ["", "NCHW", "torch.Size([2, 3])", '{"nodes": []}', '["cat"]']) assert.equal(isRun(text), false, text);
});
